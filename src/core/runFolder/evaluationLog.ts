/** `eval/results.jsonl`: one line for every evaluation. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";

const bounds = {
  /** Bounds of the 95% confidence interval; null where there is none. */
  low: z.number().nullable(),
  high: z.number().nullable(),
};
const interval = { mean: z.number(), ...bounds };

const result = z
  .object({
    environment: z.string(),
    split: z.string(),
    /** 0 = greedy. */
    temperature: z.number(),
    tasks: z.number(),
    rollouts: z.number(),
    /** Mean over tasks of the mean over a task's rollouts (avg@k); a failed rollout counts as `failureReward`. */
    rewardMean: z.number(),
    ...bounds,
    /** Share of all rollouts that succeeded. */
    successFraction: z.number(),
    failed: z.number(),
    failureReward: z.number(),
    /** Over the rollouts with at least one turn, like the next; null without any. */
    tokensMean: z.number().nullable(),
    turnsMean: z.number().nullable(),
    /** From this reward on a rollout is a success. */
    successReward: z.number(),
    /** Chance that one of k rollouts of a task succeeds, as a mean over tasks; by ascending k, up to the rollouts of a task. */
    passAtK: z
      .array(z.object({ k: z.number().int().positive(), ...interval }).readonly())
      .readonly(),
    /** Mean over the shared tasks of the reward less that of the first evaluation in the file; absent for that one, and below 8 shared tasks. */
    difference: z
      .object({ tasks: z.number().int().positive(), ...interval })
      .readonly()
      .optional(),
  })
  .readonly();

const evaluatedModel = z
  .object({
    /** As people call it. */
    name: z.string(),
    /** Its checkpoint; null = the base model. */
    path: z.string().nullable(),
  })
  .readonly();

export const evaluationSchema = z
  .object({
    /** Completed steps. */
    step: z.number().int().nonnegative(),
    purpose: z.string(),
    timeMs: z.number(),
    /** Absent for the weights of the run itself. */
    model: evaluatedModel.optional(),
    results: z.array(result).readonly(),
  })
  .readonly();

export type EvaluatedModel = z.infer<typeof evaluatedModel>;
export type StoredResult = z.infer<typeof result>;
export type EvaluationEntry = z.infer<typeof evaluationSchema>;

/** Names the environment, split and temperature of a result. */
export function cellName({
  environment,
  split,
  temperature,
}: Pick<StoredResult, "environment" | "split" | "temperature">): string {
  const sampled = temperature === 0 ? "greedy" : `temperature ${temperature}`;
  return `${environment} ${split} ${sampled}`;
}

/** The evaluation of a line of `eval/results.jsonl`, or null when it is none. */
export function parseEvaluation(value: unknown): EvaluationEntry | null {
  return evaluationSchema.safeParse(value).data ?? null;
}

/** All evaluations in the order in which they ended; lines that cannot be read are left out. */
export async function readEvaluations(
  fileSystem: FolderFiles,
  folder: string,
): Promise<readonly EvaluationEntry[]> {
  const evaluations: EvaluationEntry[] = [];
  for await (const { value } of readLines(fileSystem, runPaths(folder).evaluations)) {
    const evaluation = parseEvaluation(value);
    if (evaluation !== null) evaluations.push(evaluation);
  }
  return evaluations;
}
