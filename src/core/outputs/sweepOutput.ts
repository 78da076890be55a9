/** Output record of a sweep's runs. */

import * as z from "zod";
import { count, defineOutput, list, measure } from "./output.ts";

const runShape = {
  settings: z.record(z.string(), z.string()).describe("value of each key of the grid, as written"),
  state: z
    .string()
    .describe(
      "not-started, preparing, running, pausing, paused, finishing, done, failed, stopped, interrupted, unreadable, or dropped by --halve",
    ),
  left: z
    .object({ step: count, keys: list(z.string()) })
    .nullable()
    .describe(
      "keys of the grid that were changed while it ran, and its completed steps then; it does not count; null: it counts",
    ),
  steps: count.describe("completed steps"),
  lastReward: measure.describe(
    "mean reward of the last step; null: fewer than 90% of its rollouts have one",
  ),
  recentReward: measure.describe(
    "mean reward of the last 5 steps, without those in which fewer than 90% of the rollouts have one",
  ),
  evaluatedReward: measure.describe(
    "mean reward in the evaluation named by comparedBy; null: none",
  ),
  bestReward: measure.describe("highest mean reward over 5 consecutive steps"),
  loss: measure.describe(
    "for a supervised run, mean loss of the last steps (at most 5) in nats per token, or the newest held-out loss if all supervised runs measure it; null: another run",
  ),
  totalS: measure.describe("total time of all steps, in seconds"),
  costUsd: measure.describe("cost of steps and evaluations; null: unknown"),
  folder: z.string().nullable().describe("null: there is no run"),
  problem: z.string().nullable().describe("why it failed or cannot be read"),
};

const effectShape = {
  setting: z.string().describe("key of the grid, except the seed"),
  share: measure.describe(
    "share of the variance in the comparedBy results that it explains, 0 to 1 (epsilon squared); null: unknown",
  ),
  low: measure.describe("lower bound of the share's 95% confidence interval"),
  high: measure.describe("upper bound of the share's 95% confidence interval"),
};

export const sweepOutput = defineOutput(
  { name: "sweep", version: 1, command: "sweep … --json" },
  {
    sweep: z.string().describe("its name"),
    runs: list(z.object(runShape)),
    comparedBy: z
      .object({
        field: z.enum(["evaluatedReward", "recentReward", "loss"]).describe("field of runs"),
        evaluation: z
          .string()
          .nullable()
          .describe("its environment, split and temperature; null: not an evaluation"),
        step: count
          .nullable()
          .describe("completed steps at the evaluation; null: not an evaluation"),
      })
      .describe("the results that effects refer to"),
    effects: list(z.object(effectShape)).describe("settings, most influential first"),
  },
);
