/**
 * The cost of a step's update: how often the service processes each token of the step's data. Estimates multiply by it. The usage log
 * counts actual requests; a test compares the two.
 */

import { hasTeacher, zeroVariancePolicy } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { learnsWithoutAdvantage } from "./lossDefaults.ts";

/** Passes over the data of a step; a fraction when only part of it is processed. */
export interface UpdatePasses {
  /**
   * Forward passes, priced as uncached prompt tokens: by the base model for `kl_coef`, by a teacher, for `off_policy_correction`, and
   * before each update of `dro`, which starts from the learner's own log-probabilities for tokens that were not sampled.
   */
  readonly forward: number;
  /** Passes with a gradient, priced as training. */
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
  // Before the first update, the correction's log-probabilities are still those of the learner, so `dro` reuses them.
  const known = ofCorrection / config.num_substeps;
  const ofLoss = config.loss_fn === "dro" ? config.num_passes - known : 0;
  return { forward: ofBaseModel + ofCorrection + ofLoss, trained: config.num_passes };
}

/**
 * Whether a rollout in a group with equal rewards is trained on: the group must be kept, and the loss must have a gradient at its
 * advantage, which is 0 unless the reward itself is the advantage.
 */
export function trainsOnEqualRewards(config: Config, reward: number): boolean {
  if (zeroVariancePolicy(config) === "drop") return false;
  const isReward = config.advantage_calculation === "direct";
  return (isReward && reward !== 0) || learnsWithoutAdvantage(config);
}
