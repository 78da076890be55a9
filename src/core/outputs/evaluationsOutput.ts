/** Output record of evaluations, those of a run and standalone ones. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import {
  type EvaluationEntry,
  readEvaluations,
  type StoredResult,
} from "../runFolder/evaluationLog.ts";
import { count, defineOutput, list, measure } from "./output.ts";

const interval = {
  mean: measure,
  low: measure.describe("lower bound of the 95% confidence interval; null: none"),
  high: measure,
};

const resultShape = {
  environment: z.string(),
  split: z.string(),
  temperature: z.number().describe("0: greedy"),
  tasks: z.number(),
  rollouts: z.number(),
  rewardMean: measure,
  low: measure.describe("lower bound of the 95% confidence interval; null: none"),
  high: measure,
  successFraction: measure,
  successReward: z.number().describe("lowest reward that counts as a success"),
  failed: z.number(),
  failureReward: z.number().describe("reward that failed rollouts count with"),
  tokensMean: measure.describe("like turnsMean, over rollouts with at least one turn; null: none"),
  turnsMean: measure,
  passAtK: list(z.object({ k: count, ...interval })).describe(
    "chance that at least one of k rollouts succeeds",
  ),
  difference: z
    .object({ tasks: count.describe("tasks in both evaluations"), ...interval })
    .nullable()
    .describe(
      "mean reward difference per task to the first evaluation; null: this is the first, or fewer than 8 tasks are shared",
    ),
};

export const evaluationShape = {
  step: count.describe("completed steps"),
  model: z
    .object({ name: z.string(), path: z.string().nullable().describe("null: the base model") })
    .nullable()
    .describe("null: the weights of the run itself"),
  results: list(z.object(resultShape)),
};

export const evaluationsOutput = defineOutput(
  {
    name: "evaluations",
    version: 1,
    command: "evaluate … --json, show RUN_FOLDER --eval --json",
  },
  {
    folder: z.string().describe("absolute path of the run folder"),
    evaluations: list(z.object(evaluationShape)),
  },
);

/** `files` must be those of the run folder. @throws AppError `file-unreadable` */
export async function describeEvaluations(
  files: FolderFiles,
  folder: string,
): Promise<ReturnType<typeof evaluationsOutput.of>> {
  const entries = await readEvaluations(files, folder);
  return evaluationsOutput.of({ folder, evaluations: entries.map(evaluationFields) });
}

export function evaluationFields({ step, model, results }: EvaluationEntry) {
  return { step, model: model ?? null, results: results.map(resultFields) };
}

function resultFields({ difference, ...result }: StoredResult) {
  return { ...result, difference: difference ?? null };
}
