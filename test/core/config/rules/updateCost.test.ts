import { describe, expect, it } from "vitest";
import {
  trainsOnEqualRewards,
  updatePasses,
} from "../../../../src/core/config/rules/updateCost.ts";
import { aConfig } from "../../training/builders.ts";

describe("the update of a step", () => {
  it.each([
    [{}, 0],
    [{ kl_coef: 0.1 }, 1],
    [{ off_policy_correction: "tis" as const }, 1],
    [{ kl_coef: 0.1, off_policy_correction: "icepop" as const }, 2],
    [{ loss_fn: "dro" as const }, 1],
    [{ loss_fn: "dro" as const, num_substeps: 4 }, 1],
    [{ loss_fn: "dro" as const, off_policy_correction: "tis" as const }, 1],
    [{ loss_fn: "dro" as const, off_policy_correction: "tis" as const, num_substeps: 4 }, 1.75],
  ])("with %o takes %d forward passes over its data", (changes, forward) => {
    expect(updatePasses(aConfig(changes))).toEqual({ forward, trained: 1 });
  });

  it("repeats its passes with num_passes, and with dro makes a forward pass before each", () => {
    const passes = (changes: Parameters<typeof aConfig>[0]) =>
      updatePasses(aConfig({ num_passes: 3, ...changes }));
    expect(passes({ kl_coef: 0.1 })).toEqual({ forward: 1, trained: 3 });
    expect(passes({ loss_fn: "dro" })).toEqual({ forward: 3, trained: 3 });
    expect(passes({ loss_fn: "dro", off_policy_correction: "tis", num_substeps: 2 })).toEqual({
      forward: 3.5,
      trained: 3,
    });
  });
});

describe("a group with equal rewards", () => {
  it("is trained on when it is kept and the loss learns without an advantage", () => {
    expect(trainsOnEqualRewards(aConfig(), 1)).toBe(false);
    expect(trainsOnEqualRewards(aConfig({ loss_fn: "dro" }), 1)).toBe(false);
    expect(trainsOnEqualRewards(aConfig({ zero_variance: "keep" }), 1)).toBe(false);
    expect(trainsOnEqualRewards(aConfig({ loss_fn: "dro", zero_variance: "keep" }), 1)).toBe(true);
    expect(trainsOnEqualRewards(aConfig({ kl_coef: 0.1, zero_variance: "keep" }), 0)).toBe(true);
  });

  it("is trained on when the reward is the advantage, unless it is 0", () => {
    const config = aConfig({ advantage_calculation: "direct" });
    expect(trainsOnEqualRewards(config, 1)).toBe(true);
    expect(trainsOnEqualRewards(config, 0)).toBe(false);
    expect(trainsOnEqualRewards({ ...config, zero_variance: "drop" }, 1)).toBe(false);
  });
});
