/**
 * Advantages within one group of rollouts of the same task, as in GRPO (Shao et al. 2024, arXiv:2402.03300): the other rollouts of
 * the group are the baseline, so no value network is trained. `centered` leaves out the division by the standard deviation, as Dr.
 * GRPO does (Liu et al. 2025, arXiv:2503.20783); `direct` is REINFORCE without a baseline.
 */

import type { Config } from "../config/schema.ts";
import { assertNever } from "../errors.ts";
import { summarize } from "../util/stats.ts";

export type AdvantageRules = Pick<
  Config,
  "advantage_calculation" | "advantage_eps" | "advantage_clip"
>;

/** Below this the rewards of a group count as equal. */
const EQUAL_REWARDS = 1e-8;

/**
 * One advantage per reward. `direct`: r; `centered`: r - mean; `centered_normalized`:
 * (r - mean) / (sample std + eps), 0 for a std of 0. `advantage_clip` bounds the absolute value.
 */
export function computeAdvantages(
  rewards: readonly number[],
  rules: AdvantageRules,
): readonly number[] {
  const clip = rules.advantage_clip ?? Number.POSITIVE_INFINITY;
  return rawAdvantages(rewards, rules).map((advantage) =>
    Math.min(Math.max(advantage, -clip), clip),
  );
}

function rawAdvantages(rewards: readonly number[], rules: AdvantageRules): readonly number[] {
  const { mean, std } = summarize(rewards);
  const centered = rewards.map((reward) => reward - (mean ?? 0));
  switch (rules.advantage_calculation) {
    case "direct":
      return rewards;
    case "centered":
      return centered;
    case "centered_normalized": {
      if (std === null || std < EQUAL_REWARDS) return rewards.map(() => 0);
      return centered.map((value) => value / (std + rules.advantage_eps));
    }
    default:
      return assertNever(rules.advantage_calculation);
  }
}

/** True when no reward of the group differs from another: a centred method then learns nothing from it. */
export function areAllEqual(rewards: readonly number[]): boolean {
  return Math.max(...rewards) - Math.min(...rewards) < EQUAL_REWARDS;
}
