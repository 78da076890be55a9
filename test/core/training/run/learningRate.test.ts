import { describe, expect, it } from "vitest";
import {
  learningRateAt,
  type ScheduleRules,
} from "../../../../src/core/training/run/learningRate.ts";

function rates(
  changes: Partial<ScheduleRules>,
  steps: number,
  count = steps,
): readonly (number | undefined)[] {
  const rules: ScheduleRules = {
    learning_rate: 1,
    learning_rate_schedule: "constant",
    warmup_steps: 0,
    min_learning_rate_ratio: 0,
    ...changes,
  };
  return Array.from({ length: count }, (_, step) =>
    Number(learningRateAt(rules, step, steps).toFixed(6)),
  );
}

describe("the learning rate", () => {
  it("is constant by default", () => {
    expect(rates({ learning_rate: 4e-5 }, 3)).toEqual([4e-5, 4e-5, 4e-5]);
  });

  it("rises over the warm-up and reaches its full value in the last warm-up step", () => {
    expect(rates({ warmup_steps: 4 }, 6)).toEqual([0.25, 0.5, 0.75, 1, 1, 1]);
  });

  it("falls linearly after the warm-up", () => {
    expect(rates({ learning_rate_schedule: "linear" }, 4)).toEqual([1, 0.75, 0.5, 0.25]);
    const warm = rates({ learning_rate_schedule: "linear", warmup_steps: 2 }, 6);
    expect(warm).toEqual([0.5, 1, 1, 0.75, 0.5, 0.25]);
  });

  it("falls along half a cosine", () => {
    expect(rates({ learning_rate_schedule: "cosine" }, 4)).toEqual([1, 0.853553, 0.5, 0.146447]);
  });

  it("never falls below min_learning_rate_ratio of its base value, even after the last step", () => {
    const rules = { min_learning_rate_ratio: 0.1 };
    for (const learning_rate_schedule of ["linear", "cosine"] as const) {
      const falling = rates({ ...rules, learning_rate_schedule }, 4, 7);
      expect(falling.slice(4)).toEqual([0.1, 0.1, 0.1]);
    }
  });

  it("cannot fall toward an end that does not exist", () => {
    const endless: ScheduleRules = {
      learning_rate: 1,
      learning_rate_schedule: "cosine",
      warmup_steps: 0,
      min_learning_rate_ratio: 0,
    };
    expect(() => learningRateAt(endless, 0, null)).toThrow(
      expect.objectContaining({
        code: "config-conflict",
        configPath: "learning_rate_schedule",
        message: expect.stringMatching(/max_steps or num_epochs/),
      }),
    );
  });
});
