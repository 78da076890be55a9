/** The parameters of each loss, with their default values. */

import { hasTeacher } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";

export type LossName = Config["loss_fn"];

/**
 * As documented in `docs/protocols/tinker.md#losses`. `dro` has no published default, so this is the documentation's example. The values
 * of `gspo` are from its paper: 3e-4 below 1 and 4e-4 above (Zheng et al. 2025, arXiv:2507.18071).
 */
export const LOSS_DEFAULTS = {
  importance_sampling: {},
  ppo: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
  cispo: { clip_low_threshold: 0, clip_high_threshold: 4 },
  dro: { beta: 0.05 },
  gspo: { clip_low_threshold: 0.9997, clip_high_threshold: 1.0004 },
  stable_reinforce: {},
} as const satisfies Readonly<Record<LossName, Readonly<Record<string, number>>>>;

/** True when a rollout with an advantage of 0 can still have a gradient: from the loss's own penalty, the KL penalty, or a teacher. */
export function learnsWithoutAdvantage(
  config: Pick<Config, "environments" | "kl_coef" | "loss_fn" | "loss_fn_config" | "teacher">,
): boolean {
  return config.kl_coef > 0 || hasTeacher(config) || hasPenalty(config);
}

/** True when the loss itself has a gradient at an advantage of 0, as the quadratic penalty of `dro` does. */
export function hasPenalty(config: Pick<Config, "loss_fn" | "loss_fn_config">): boolean {
  return config.loss_fn === "dro" && lossParameters(config)["beta"] !== 0;
}

/** All parameters of the loss. They are always sent in full, because servers differ in their defaults. */
export function lossParameters(
  config: Pick<Config, "loss_fn" | "loss_fn_config">,
): Readonly<Record<string, number>> {
  return { ...LOSS_DEFAULTS[config.loss_fn], ...config.loss_fn_config };
}
