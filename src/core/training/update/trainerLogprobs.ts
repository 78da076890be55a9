/** Log-probabilities under the weights in training. */

import { AppError } from "../../errors.ts";
import type { TrainingClient } from "../../tinker/trainingClient.ts";
import { indexOfNonFinite } from "../../util/stats.ts";
import { type TrainingDatum, toWireDatum } from "./datums.ts";

/**
 * Log-probabilities of each datum's targets under the current weights, from a forward pass that trains nothing. The loss it names exists
 * on every service and does not affect the result.
 * @throws AppError `training-not-finite`; `tinker-*`
 */
export async function trainerLogprobs(
  client: TrainingClient,
  data: readonly TrainingDatum[],
): Promise<readonly Float32Array[]> {
  const loss = "importance_sampling";
  const wire = data.map((datum) => toWireDatum(datum, loss));
  const { outputs } = await client.forwardBackward(wire, loss, {}, { forwardOnly: true });
  const logprobs = outputs.map((output) => output.logprobs);
  requireFinite(null, logprobs);
  return logprobs;
}

/** @throws AppError `training-not-finite` */
export function requireFinite(loss: number | null, logprobs: readonly Float32Array[]): void {
  const areNumbers =
    (loss === null || Number.isFinite(loss)) && logprobs.every((row) => indexOfNonFinite(row) < 0);
  if (areNumbers) return;
  throw new AppError(
    "training-not-finite",
    "The service returned a loss or log-probabilities that are not numbers, so the weights are unreliable. Resume from the last checkpoint with a lower learning_rate.",
    { configPath: "learning_rate" },
  );
}
