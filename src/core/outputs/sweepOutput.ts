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
  bestReward: measure.describe("highest mean reward over 5 steps in a row"),
  loss: measure.describe(
    "mean loss of the last steps (at most 5) of a supervised run, in nats a token, or the newest loss of what is held out where all supervised runs measure it; null: another run",
  ),
  totalS: measure.describe("time of all steps, in seconds"),
  folder: z.string().nullable().describe("null: there is no run"),
  problem: z.string().nullable().describe("why it failed or cannot be read"),
};

const effectShape = {
  setting: z.string().describe("key of the grid; the seed is none"),
  share: measure.describe(
    "how much of the variance of lastReward, or of loss if no run has a reward, it explains, 0 to 1 (epsilon squared); null: unknown",
  ),
  low: measure.describe("lower bound of the share's 95% confidence interval"),
  high: measure.describe("upper bound of the share's 95% confidence interval"),
};

export const sweepOutput = defineOutput(
  { name: "sweep", version: 1, command: "sweep … --json" },
  {
    sweep: z.string().describe("its name"),
    runs: list(z.object(runShape)),
    effects: list(z.object(effectShape)).describe("the setting that explains most first"),
  },
);
