import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import { tinkerError } from "../../../../src/core/tinker/transport/errors.ts";
import { checkReferences } from "../../../../src/core/training/checks/serverCheck.ts";
import { penalizeKl } from "../../../../src/core/training/update/klPenalty.ts";
import { aConfig, aDatum } from "../builders.ts";
import { aContext } from "../fakeContext.ts";

/** Prompt 1, 2, then two sampled tokens with these log-probabilities. */
function datum(logprobs: readonly [number, number], advantage: number) {
  const ledger = new Ledger([1, 2]);
  ledger.addTurn([5, 6], logprobs);
  return aDatum({ ledger, advantage });
}

describe("the penalty for leaving the base model", () => {
  const data = [datum([-0.5, -1], 1), datum([-2, -0.25], -1)];

  it("adds kl_coef times the difference from the mean to each advantage", () => {
    // d: -0.5 + 1 = 0.5, -1 + 1 = 0, -2 + 3 = 1, -0.25 + 0.75 = 0.5; their mean is 0.5.
    const base = [Float32Array.of(-9, -1, -1), Float32Array.of(-9, -3, -0.75)];
    const { data: penalized, klPolicyBase } = penalizeKl(data, base, 0.5);
    expect(klPolicyBase).toBe(0.5);
    expect(penalized.map(({ advantages }) => [...advantages].slice(1))).toEqual([
      [1, 1.25],
      [-1.25, -1],
    ]);
  });

  it("leaves tokens unchanged when the base model's log-probability is unknown", () => {
    // d: 0.5 and 1.5; their mean is 1.
    const base = [Float32Array.of(-9, -1, Number.NaN), Float32Array.of(-9, -3.5)];
    const { data: penalized, klPolicyBase } = penalizeKl(data, base, 1);
    expect(klPolicyBase).toBe(1);
    expect(penalized.map(({ advantages }) => [...advantages].slice(1))).toEqual([
      [1.5, 1],
      [-1.5, -1],
    ]);
    const impossible = [
      Float32Array.of(-9, -1, Number.NEGATIVE_INFINITY),
      Float32Array.of(-9, -3.5),
    ];
    expect(penalizeKl(data, impossible, 1).klPolicyBase).toBe(1);
    const unknown = data.map(() => new Float32Array());
    expect(penalizeKl(data, unknown, 1)).toEqual({ data, klPolicyBase: null });
  });
});

describe("before a run with kl_coef", () => {
  const check = (samplerForBase: () => Promise<never>) =>
    checkReferences(aContext({ samplerForBase, config: aConfig({ kl_coef: 0.1 }) }));

  it("a service without the base model is reported, with what to set", async () => {
    const refused = check(() => Promise.reject(tinkerError("tinker-not-found", "No org/model")));
    await expect(refused).rejects.toMatchObject({
      code: "base-model-not-sampled",
      configPath: "kl_coef",
      message: expect.stringMatching(/org\/model.*http:\/\/tinker\.test.*Set kl_coef to 0/),
    });
  });

  it("an unreachable service is reported as a different error", async () => {
    const lost = check(() => Promise.reject(tinkerError("tinker-unavailable", "No answer")));
    await expect(lost).rejects.toMatchObject({ code: "tinker-unavailable" });
  });
});
