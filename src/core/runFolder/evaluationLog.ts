/** `eval/results.jsonl`: one line per evaluation. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";

const bounds = {
  /** Bounds of the 95% confidence interval; null if there is none. */
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
    /** Over the rollouts with at least one turn, as is `turnsMean`; null if there are none. */
    tokensMean: z.number().nullable(),
    turnsMean: z.number().nullable(),
    /** A rollout with at least this reward is a success. */
    successReward: z.number(),
    /** Chance that at least one of k rollouts of a task succeeds, averaged over tasks; ascending k, up to the rollouts per task. */
    passAtK: z
      .array(z.object({ k: z.number().int().positive(), ...interval }).readonly())
      .readonly(),
    /** Mean reward difference to the file's first evaluation over the shared tasks; absent for that one, and below 8 shared tasks. */
    difference: z
      .object({ tasks: z.number().int().positive(), ...interval })
      .readonly()
      .optional(),
  })
  .readonly();

const evaluatedModel = z
  .object({
    /** Display name. */
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
    /** Absent if the run's own weights are evaluated. */
    model: evaluatedModel.optional(),
    results: z.array(result).readonly(),
  })
  .readonly();

export type EvaluatedModel = z.infer<typeof evaluatedModel>;
export type StoredResult = z.infer<typeof result>;
export type EvaluationEntry = z.infer<typeof evaluationSchema>;

/** A display name from a result's environment, split and temperature. */
export function cellName({
  environment,
  split,
  temperature,
}: Pick<StoredResult, "environment" | "split" | "temperature">): string {
  const sampled = temperature === 0 ? "greedy" : `temperature ${temperature}`;
  return `${environment} ${split} ${sampled}`;
}

/** Parses a line of `eval/results.jsonl`; null if it is not an evaluation. */
export function parseEvaluation(value: unknown): EvaluationEntry | null {
  return evaluationSchema.safeParse(value).data ?? null;
}

/** All evaluations in the order they ended; skips unreadable lines. */
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
