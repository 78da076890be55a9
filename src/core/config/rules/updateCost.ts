/**
 * What the update of a step costs: how often the service passes each token of the step's data. Estimates multiply with it; the usage log
 * counts the requests themselves, which a test holds against it.
 */

import { hasTeacher, zeroVariancePolicy } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { learnsWithoutAdvantage } from "./lossDefaults.ts";

/** Passes over the data of a step; a fraction where only a part of it is passed. */
export interface UpdatePasses {
  /**
   * Forward passes, charged as prompts that are not cached: by the base model for `kl_coef`, by a teacher, for `off_policy_correction`, and before
   * each update with `dro`, which starts at the learner's own log-probabilities where nothing was sampled.
   */
  readonly forward: number;
  /** With a gradient, charged as training. */
  readonly trained: number;
}

export function updatePasses(
  config: Pick<
    Config,
    | "environments"
    | "kl_coef"
    | "loss_fn"
    | "num_passes"
    | "num_substeps"
    | "off_policy_correction"
    | "teacher"
  >,
): UpdatePasses {
  const ofBaseModel = (config.kl_coef > 0 ? 1 : 0) + (hasTeacher(config) ? 1 : 0);
  const ofCorrection = config.off_policy_correction === "none" ? 0 : 1;
  // Until the first update the log-probabilities of the correction are still the learner's own.
  const known = ofCorrection / config.num_substeps;
  const ofLoss = config.loss_fn === "dro" ? config.num_passes - known : 0;
  return { forward: ofBaseModel + ofCorrection + ofLoss, trained: config.num_passes };
}

/**
 * Whether a rollout of a group of equal rewards is trained on: the group must be kept, and the loss must have a gradient at its
 * advantage, which is 0 unless the reward itself is the advantage.
 */
export function trainsOnEqualRewards(config: Config, reward: number): boolean {
  if (zeroVariancePolicy(config) === "drop") return false;
  const isReward = config.advantage_calculation === "direct";
  return (isReward && reward !== 0) || learnsWithoutAdvantage(config);
}
