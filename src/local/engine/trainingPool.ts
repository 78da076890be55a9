/** Distributes a batch over the workers such that the result does not depend on their number. */

import type { EngineDatum, LossSpec } from "./engine.ts";
import type { BatchOutcome } from "./workerMessages.ts";
import type { KnownWeights, WorkerThread } from "./workerThread.ts";

/** Maximum number of tokens in a micro-batch. */
export const MICRO_BATCH_TOKENS = 1024;

/**
 * Runs a batch. Micro-batches follow the request's order for any number of workers, and their gradients are added in that order,
 * which makes the result bit-identical on one worker or many.
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

/** Consecutive data grouped into at most {@link MICRO_BATCH_TOKENS} tokens each. */
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
