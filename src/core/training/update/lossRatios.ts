/** The ratios that a loss clips. */

import type { LossName } from "../../config/rules/lossDefaults.ts";
import type { TrainingDatum } from "./datums.ts";

/**
 * One for each target, of the trainer's probability over that which the loss starts from: with `gspo` the geometric mean over the
 * trained tokens of the datum. Undefined where they are those of trainer and sampler.
 */
export function lossRatios(
  { logprobs, oldLogprobs, mask }: TrainingDatum,
  trainer: Float32Array | undefined,
  loss: LossName,
): Float64Array | undefined {
  const isOfSequence = loss === "gspo";
  if (trainer === undefined || (oldLogprobs === undefined && !isOfSequence)) return undefined;
  const start = oldLogprobs ?? logprobs;
  const differences = Float64Array.from(trainer, (p, i) => p - (start[i] ?? 0));
  if (!isOfSequence) return differences.map(Math.exp);
  const trained = differences.filter((_, i) => mask[i] === 1);
  const mean = trained.reduce((total, difference) => total + difference, 0) / trained.length;
  return differences.fill(Math.exp(mean));
}
