import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import type { RolloutFacts } from "../../../../src/core/runFolder/metrics/stepFacts.ts";
import { type ScoredGroup, scoreGroups } from "../../../../src/core/training/update/groups.ts";
import { isOverlong, overlongPenalty } from "../../../../src/core/training/update/overlong.ts";
import { aTurn } from "../../runFolder/builders.ts";
import { aConfig, aRollout } from "../builders.ts";

/** The last 20 tokens below a limit cost up to 0.5. */
const PENALTY = {
  overlong: "penalty",
  overlong_buffer: 20,
  overlong_penalty: 0.5,
} as const satisfies Partial<Config>;

function played(facts: Partial<RolloutFacts>): FinishedRollout {
  return aRollout({ reward: 1, facts });
}

/** Rewards 0, 0, 1, and 1; the last rollout was cut at its limit. */
function scored(changes: Partial<Config>): ScoredGroup | undefined {
  const facts = { stop: "max_tokens" };
  const group = [0, 0, 1, 1].map((reward, rollout) =>
    aRollout({ reward, rollout, facts: rollout === 3 ? facts : {} }),
  );
  return scoreGroups(group, aConfig({ advantage_calculation: "centered", ...changes }))[0];
}

const advantages = (group: ScoredGroup | undefined) =>
  group?.rollouts.map(({ advantage }) => advantage);

describe("whether a rollout is too long", () => {
  const cut = [aTurn(), aTurn({ isTruncated: true })];

  it.each<[boolean, Partial<RolloutFacts>]>([
    [true, { stop: "max_tokens" }],
    [true, { stop: "max_sampled_tokens" }],
    [true, { stop: "turn_truncated" }],
    [true, { stop: "no_tool_call", turns: cut }],
    [false, { stop: "no_tool_call" }],
    [false, { stop: "no_tool_call", turns: cut.toReversed() }],
    [false, { stop: "reached_terminal_state", turns: cut }],
    [false, { stop: "max_turns", turns: [] }],
  ])("%s: %j", (expected, facts) => {
    expect(isOverlong(played(facts))).toBe(expected);
  });
});

describe("the length penalty", () => {
  it.each([
    [20, 0],
    [19, 0.5 / 20],
    [15, 0.125],
    [5, 0.375],
    [0, 0.5],
    [-3, 0.5],
  ])("with %i tokens left is %f", (tokensLeft, expected) => {
    expect(overlongPenalty(played({ tokensLeft }), aConfig(PENALTY))).toBeCloseTo(expected, 9);
  });

  it("uses the limits that the rollout was played with, even if they changed before the update", () => {
    const present = { max_response_tokens: 30, max_total_tokens: 40 };
    const config = aConfig({ ...PENALTY, ...present });
    expect(overlongPenalty(played({ tokensLeft: 20 }), config)).toBe(0);
  });

  it("is the full penalty for a rollout that was cut off, whatever room it had left", () => {
    expect(overlongPenalty(played({ stop: "max_tokens" }), aConfig(PENALTY))).toBe(0.5);
    expect(overlongPenalty(played({ stop: "max_tokens" }), aConfig())).toBe(0);
  });

  it("changes the advantages, not the rewards", () => {
    // 0, 0, 1 and 0.5, less their mean of 0.375.
    const group = scored(PENALTY);
    expect(advantages(group)).toEqual([-0.375, -0.375, 0.625, 0.125]);
    expect(group?.rollouts.map(({ rollout }) => rollout.record.reward)).toEqual([0, 0, 1, 1]);
  });

  it("creates no signal among equal rewards", () => {
    const group = [{}, { stop: "max_tokens" }].map((facts, rollout) =>
      aRollout({ reward: 0, rollout, facts }),
    );
    const [only] = scoreGroups(group, aConfig(PENALTY));
    expect(only?.facts.excluded).toBe("zero_variance");
  });
});

describe("a masked rollout", () => {
  it("is not trained on, while its reward counts in the mean", () => {
    const group = scored({ overlong: "mask" });
    expect(advantages(group)).toEqual([-0.5, -0.5, 0.5, null]);
    expect(group?.rollouts.map(({ data }) => data.length)).toEqual([1, 1, 1, 0]);
    expect(group?.rollouts[3]?.trainingUse).toBe("excluded:overlong");
    expect(advantages(scored({}))).toEqual([-0.5, -0.5, 0.5, 0.5]);
  });

  it("excludes its group when all rollouts were too long", () => {
    const facts = { stop: "max_tokens" };
    const group = [1, 0].map((reward, rollout) => aRollout({ reward, rollout, facts }));
    const [only] = scoreGroups(group, aConfig({ overlong: "mask" }));
    expect(only?.facts.excluded).toBe("overlong");
  });
});
