/** The learning rate as a function of the step alone, so that a resume gets the same values. */

import type { Config } from "../../config/fields/schema.ts";
import { AppError, assertNever } from "../../errors.ts";

export type ScheduleRules = Pick<
  Config,
  "learning_rate" | "learning_rate_schedule" | "warmup_steps" | "min_learning_rate_ratio"
>;

/**
 * Learning rate of `step` (from 0): linear warm-up over `warmup_steps`, then constant, or a linear or half-cosine decay to
 * `min_learning_rate_ratio` of itself at `steps`.
 * @throws AppError `config-conflict` when a decaying schedule has no end
 */
export function learningRateAt(rules: ScheduleRules, step: number, steps: number | null): number {
  const warmup = rules.warmup_steps > 0 ? Math.min(1, (step + 1) / rules.warmup_steps) : 1;
  return rules.learning_rate * warmup * decay(rules, step, steps);
}

/** @throws AppError `config-conflict` when a decaying schedule has no end */
export function checkSchedule(rules: ScheduleRules, steps: number | null): void {
  if (steps === null && rules.learning_rate_schedule !== "constant") throw withoutEnd(rules);
}

function decay(rules: ScheduleRules, step: number, steps: number | null): number {
  if (rules.learning_rate_schedule === "constant") return 1;
  if (steps === null) throw withoutEnd(rules);
  const start = rules.warmup_steps;
  const progress = Math.min(1, Math.max(0, (step - start) / Math.max(1, steps - start)));
  const floor = rules.min_learning_rate_ratio;
  switch (rules.learning_rate_schedule) {
    case "linear":
      return floor + (1 - floor) * (1 - progress);
    case "cosine":
      return floor + (1 - floor) * 0.5 * (1 + Math.cos(Math.PI * progress));
    default:
      return assertNever(rules.learning_rate_schedule);
  }
}

function withoutEnd({ learning_rate_schedule: schedule }: ScheduleRules): AppError {
  return new AppError(
    "config-conflict",
    `learning_rate_schedule: ${schedule} needs an end. Set max_steps or num_epochs, or use constant.`,
    { configPath: "learning_rate_schedule" },
  );
}
