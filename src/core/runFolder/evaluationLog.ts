/** `eval/results.jsonl`: one line for every evaluation. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "./layout.ts";
import { readLines } from "./lineReader.ts";

const result = z
  .object({
    environment: z.string(),
    split: z.string(),
    /** 0 = greedy. */
    temperature: z.number(),
    tasks: z.number(),
    rollouts: z.number(),
    rewardMean: z.number(),
    /** Bounds of the 95 % interval. */
    low: z.number(),
    high: z.number(),
    successFraction: z.number(),
    failed: z.number(),
    tokensMean: z.number(),
    turnsMean: z.number(),
  })
  .readonly();

const evaluationSchema = z
  .object({
    /** Completed steps. */
    step: z.number().int().nonnegative(),
    purpose: z.string(),
    timeMs: z.number(),
    results: z.array(result).readonly(),
  })
  .readonly();

export type EvaluationEntry = z.infer<typeof evaluationSchema>;

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
