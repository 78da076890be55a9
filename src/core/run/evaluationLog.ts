/** `eval/results.jsonl`: one line of results for every evaluation. */

import * as z from "zod";

const result = z
  .object({
    environment: z.string(),
    split: z.string(),
    /** 0 = greedy. */
    temperature: z.number(),
    rollouts: z.number(),
    rewardMean: z.number(),
    /** Bounds of the 95 % interval. */
    low: z.number(),
    high: z.number(),
    failed: z.number(),
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
