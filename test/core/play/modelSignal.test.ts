import { describe, expect, it } from "vitest";
import { modelSignal } from "../../../src/core/play/modelSignal.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";

/** Groups with these rewards, null for a failed rollout; each used 40 tokens, 10 of them sampled. */
function signalOf(groups: readonly (readonly (number | null)[])[], costUsd: number | null = null) {
  const used = { sampled: 10, prefill_cached: 10, prefill_uncached: 20, trained: 0 };
  return modelSignal(
    groups.flatMap((rewards, group) =>
      rewards.map((reward) => ({ group, reward, error: null, used, costUsd })),
    ),
    "a/model",
  );
}

describe("the signal of a model", () => {
  it("is the share of groups whose rewards differ, with the cost per rollout", () => {
    const { measured, findings } = signalOf(
      [
        [1, 0],
        [0, 0],
        [0.5, 0],
      ],
      0.002,
    );
    expect(measured).toBe(
      "2 of 3 groups of 2 have a signal; mean reward 0.25; per rollout 10 sampled and 30 prompt tokens, $0.00200",
    );
    expect(findings).toEqual([]);
  });

  it("counts the tokens of rollouts that used any", () => {
    const used = { ...NO_TOKENS, sampled: 10, prefill_uncached: 30 };
    const played = { group: 0, reward: 1, error: null, used, costUsd: 0.002 };
    const failed = { group: 1, reward: null, error: null, used: NO_TOKENS, costUsd: 0 };
    expect(modelSignal([played, { ...played, reward: 0 }, failed], "a/model").measured).toContain(
      "per rollout 10 sampled and 30 prompt tokens, $0.00200",
    );
  });

  it("is too weak if most groups have no signal, with suggestions", () => {
    const zero = signalOf([
      [0, 0],
      [0, 0],
    ]);
    expect(zero.findings[0]).toMatchObject({
      severity: "warning",
      message:
        "Only 0 of 2 groups of 2 have a signal: most of what a/model does here teaches it nothing, and every rollout earns 0.00.",
      advice: expect.stringContaining("easier tasks"),
    });
    expect(
      signalOf([
        [1, 1],
        [1, 1],
      ]).findings[0]?.advice,
    ).toBe("Choose harder tasks.");
    expect(
      signalOf([
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 1],
      ]).findings,
    ).toHaveLength(1);
  });

  it("is a defect if all rollouts failed, with the first error", () => {
    const failed = { group: 0, reward: null, used: NO_TOKENS, costUsd: 0 };
    const errors = [null, "The prompt has 300 tokens.", "another"];
    expect(
      modelSignal(
        errors.map((error) => ({ ...failed, error })),
        "a/model",
      ).findings,
    ).toMatchObject([{ severity: "defect", evidence: { answer: "The prompt has 300 tokens." } }]);
  });

  it("ignores groups of one rollout", () => {
    expect(signalOf([[1, null]]).notMade).toContain("two rollouts");
    expect(
      signalOf([
        [1, 0],
        [1, null],
      ]).measured,
    ).toContain("1 of 1 group of 2 have a signal");
  });
});
