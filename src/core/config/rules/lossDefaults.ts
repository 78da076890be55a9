/** The parameters of each loss, with what they are when the configuration leaves them out. */

import { hasTeacher } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";

export type LossName = Config["loss_fn"];

/**
 * As documented, `docs/protocols/tinker.md#losses`. `dro` has no published default, this is the documentation's example; for `gspo`
 * they are those of its paper, 3e-4 below 1 and 4e-4 above (Zheng et al. 2025, arXiv:2507.18071).
 */
export const LOSS_DEFAULTS = {
  importance_sampling: {},
  ppo: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
  cispo: { clip_low_threshold: 0, clip_high_threshold: 4 },
  dro: { beta: 0.05 },
  gspo: { clip_low_threshold: 0.9997, clip_high_threshold: 1.0004 },
} as const satisfies Readonly<Record<LossName, Readonly<Record<string, number>>>>;

/** True where a rollout with an advantage of 0 may have a gradient: from the penalty of the loss, from that for leaving the base model, or from a teacher. */
export function learnsWithoutAdvantage(
  config: Pick<Config, "environments" | "kl_coef" | "loss_fn" | "loss_fn_config" | "teacher">,
): boolean {
  return config.kl_coef > 0 || hasTeacher(config) || hasPenalty(config);
}

/** True where the loss itself has a gradient at tokens with an advantage of 0: the quadratic penalty of `dro`. */
export function hasPenalty(config: Pick<Config, "loss_fn" | "loss_fn_config">): boolean {
  return config.loss_fn === "dro" && lossParameters(config)["beta"] !== 0;
}

/** All parameters of the loss. They always travel, because servers differ in what they take for one that is absent. */
export function lossParameters(
  config: Pick<Config, "loss_fn" | "loss_fn_config">,
): Readonly<Record<string, number>> {
  return { ...LOSS_DEFAULTS[config.loss_fn], ...config.loss_fn_config };
}
