/** Output record of runs and their progress. */

import * as z from "zod";
import { RUN_PHASES } from "../../shared/runFile.ts";
import type { Trend } from "../../shared/trend.ts";
import type { ListedRun } from "../runs/runList.ts";
import { runSentence } from "../runs/runSentence.ts";
import { count, counted, defineOutput, finite, list, measure, time, timeText } from "./output.ts";

const PHASES = [
  ...RUN_PHASES,
  "interrupted",
  "unreadable",
  "foreign",
] as const satisfies readonly ListedRun["phase"][];

const DIRECTIONS = [
  "rising",
  "flat",
  "falling",
  "unclear",
] as const satisfies readonly Trend["direction"][];

export const runShape = {
  name: z.string(),
  folder: z.string().describe("absolute path of the run folder"),
  phase: z
    .enum(PHASES)
    .describe("dropped: stopped by sweep --halve; interrupted: the trainer stopped unexpectedly"),
  steps: count.describe("completed steps"),
  totalSteps: count.nullable().describe("null: endless, or unknown"),
  reward: measure.describe(
    "mean reward of the last step; null: fewer than 90% of its rollouts have one",
  ),
  recentRewards: list(measure).describe("the same of up to ten last steps, oldest first"),
  sentence: z
    .string()
    .nullable()
    .describe("how the run is doing, with its newest evaluation; null: unknown"),
  trend: z
    .object({ direction: z.enum(DIRECTIONS) })
    .nullable()
    .describe("trend of the mean reward; null: unknown"),
  startedAt: time.nullable().describe("start of the last attempt"),
  tokens: count.nullable().describe("tokens used so far, including evaluations"),
  costUsd: measure.describe("null: prices are unknown"),
  repeatedSteps: count
    .nullable()
    .describe("completed steps that a resume would repeat; null: nothing to resume from"),
  stateExpiresAt: time.nullable().describe("expiry of the state that a resume would start from"),
  configPath: z.string().nullable(),
  ending: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe("why it ended early"),
  problem: z.string().nullable().describe("what cannot be read in the folder"),
};

type RunFields = z.input<z.ZodObject<typeof runShape>>;

export const runsOutput = defineOutput(
  { name: "runs", version: 1, command: "runs --json" },
  { runs: list(z.object(runShape)).describe("newest first in each folder") },
);

export function runFields(run: ListedRun): RunFields {
  const { name, folder, phase, steps, totalSteps, recentRewards, used, repeats, file } = run;
  return {
    name,
    folder,
    phase,
    steps,
    totalSteps: counted(totalSteps),
    reward: finite(run.reward),
    recentRewards: recentRewards.map(finite),
    sentence: runSentence(run),
    trend: run.trend === null ? null : { direction: run.trend.direction },
    startedAt: timeText(run.startedAtMs),
    tokens: counted(used?.tokens),
    costUsd: finite(used?.costUsd),
    repeatedSteps: counted(repeats),
    stateExpiresAt: timeText(run.expiry?.atMs ?? null),
    configPath: file?.configPath ?? null,
    ending: file?.ending ?? null,
    problem: run.problem,
  };
}
