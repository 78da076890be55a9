/** What came of the runs of a sweep. */

import * as z from "zod";
import { count, defineOutput, list, measure } from "./output.ts";

const runShape = {
  settings: z
    .record(z.string(), z.string())
    .describe("value of each key of the grid, as it was written"),
  state: z
    .string()
    .describe(
      "not-started, preparing, running, pausing, paused, finishing, done, failed, stopped, interrupted or unreadable",
    ),
  steps: count.describe("completed steps"),
  lastReward: measure.describe("mean reward of the last step"),
  recentReward: measure.describe("mean reward of the last 5 steps"),
  evaluatedReward: measure.describe(
    "mean reward in the evaluation that comparedBy names; null: there is none",
  ),
  bestReward: measure.describe("highest mean reward over 5 steps in a row"),
  loss: measure.describe(
    "mean loss of the last steps (at most 5) of a supervised run, in nats a token, or the newest loss of what is held out where all supervised runs measure it; null: another run",
  ),
  totalS: measure.describe("time of all steps, in seconds"),
  costUsd: measure.describe("what steps and evaluations have cost; null: not known"),
  folder: z.string().nullable().describe("null: there is no run"),
  problem: z.string().nullable().describe("why it failed or cannot be read"),
};

const effectShape = {
  setting: z.string().describe("key of the grid; the seed is none"),
  share: measure.describe(
    "how much of the variance of the results that comparedBy names it explains, 0 to 1 (epsilon squared); null: unknown",
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
        field: z.enum(["evaluatedReward", "recentReward", "loss"]).describe("of runs"),
        evaluation: z
          .string()
          .nullable()
          .describe("its environment, split and temperature; null: by something else"),
        step: count.nullable().describe("after so many steps; null: by something else"),
      })
      .describe("what effects are about"),
    effects: list(z.object(effectShape)).describe("the setting that explains most first"),
  },
);
