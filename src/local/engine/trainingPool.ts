/** Spreads a batch over the workers so that the result does not depend on how many there are. */

import type { EngineDatum, LossSpec } from "./engine.ts";
import type { BatchOutcome } from "./workerMessages.ts";
import type { KnownWeights, WorkerThread } from "./workerThread.ts";

/** Tokens of one micro-batch at most. */
export const MICRO_BATCH_TOKENS = 1024;

/**
 * Runs a batch. It is cut into micro-batches in request order, whatever the number of workers; their gradients are added
 * in that order: this is what makes the result the same bit for bit on one worker or many.
 */
export async function runBatch(
  threads: readonly WorkerThread[],
  weights: KnownWeights,
  data: readonly EngineDatum[],
  loss: LossSpec,
  forwardOnly: boolean,
): Promise<BatchOutcome> {
  const answers = await Promise.all(
    microBatches(data).map((part, i) => {
      const thread = threads[i % threads.length];
      return thread?.train({ data: part, loss, forwardOnly }, weights);
    }),
  );
  let total = 0;
  let gradient: Float32Array | null = null;
  const logprobs: Float32Array[] = [];
  for (const answer of answers) {
    if (answer === undefined) continue;
    total += answer.loss;
    logprobs.push(...answer.logprobs);
    if (answer.gradient === null) continue;
    if (gradient === null) gradient = answer.gradient;
    else addInto(gradient, answer.gradient);
  }
  return { loss: total, logprobs, gradient };
}

/** Consecutive runs of data with at most {@link MICRO_BATCH_TOKENS} tokens each. */
export function microBatches(data: readonly EngineDatum[]): readonly (readonly EngineDatum[])[] {
  const parts: EngineDatum[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const datum of data) {
    if (tokens + datum.tokens.length > MICRO_BATCH_TOKENS) {
      parts.push([]);
      tokens = 0;
    }
    parts.at(-1)?.push(datum);
    tokens += datum.tokens.length;
  }
  return parts;
}

export function addInto(target: Float32Array, source: Float32Array): void {
  for (let i = 0; i < target.length; i++) target[i] = (target[i] ?? 0) + (source[i] ?? 0);
}
