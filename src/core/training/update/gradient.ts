/**
 * Decides which data has a gradient. Data without one changes no weights but costs the same, and a service refuses a batch with nothing
 * else. Estimates use the same rule (`learnsWithoutAdvantage`).
 */

import { hasPenalty, learnsWithoutAdvantage } from "../../config/rules/lossDefaults.ts";
import type { TrainingDatum } from "./datums.ts";

type LossConfig = Parameters<typeof learnsWithoutAdvantage>[0];

/** Whether a rollout with this advantage may have a gradient, before log-probabilities are requested that can change single tokens. */
export function mayHaveGradient(advantage: number, config: LossConfig): boolean {
  return advantage !== 0 || learnsWithoutAdvantage(config);
}

/** Whether a datum with final advantages and weights has a gradient at any trained token, from its advantage or from the loss itself. */
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
