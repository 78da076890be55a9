/**
 * Says which data has a gradient. What has none changes no weight, but costs as much as other data, and a service refuses a batch of
 * nothing else. The estimate counts by the same rule of the configuration (`learnsWithoutAdvantage`).
 */

import { hasPenalty, learnsWithoutAdvantage } from "../../config/rules/lossDefaults.ts";
import type { TrainingDatum } from "./datums.ts";

type LossConfig = Parameters<typeof learnsWithoutAdvantage>[0];

/** Whether a rollout with this advantage may have a gradient, before log-probabilities are asked for that change single tokens. */
export function mayHaveGradient(advantage: number, config: LossConfig): boolean {
  return advantage !== 0 || learnsWithoutAdvantage(config);
}

/** Whether a datum with its final advantages and weights has a gradient: at a trained token that counts, from its advantage or from the loss itself. */
export function hasGradient(
  { mask, advantages, weights }: Pick<TrainingDatum, "mask" | "advantages" | "weights">,
  config: LossConfig,
): boolean {
  const isPenalized = hasPenalty(config);
  for (let i = 0; i < mask.length; i += 1) {
    const counts = mask[i] === 1 && weights?.[i] !== 0;
    if (counts && (isPenalized || advantages[i] !== 0)) return true;
  }
  return false;
}
