/** How the rewards of a rollout become one number. */

import type { EnvironmentConfig } from "../config/fields/schema.ts";
import { AppError, assertNever } from "../errors.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { INVALID_REWARD } from "./faults.ts";

export type RewardRules = Pick<
  EnvironmentConfig,
  "reward_reduction" | "nonterminal_reward" | "nonterminal_mode" | "min_reward" | "max_reward"
>;

type RewardStages = RolloutRecord["rewardBreakdown"];

/** Advantages, losses and their sums hold 32 bits, which end at 3.4e38: rewards up to this size leave them room. */
export const MAX_REWARD = 1e30;

/**
 * `nonterminal_reward` joins or replaces the rewards of a rollout that did not finish. The score of the group counts as the last of the
 * environment's rewards. Then the rewards are reduced, the result is raised to `min_reward` and lowered to `max_reward`.
 */
export function scoreRewards(
  rewards: readonly number[],
  reachedTerminalState: boolean,
  rules: RewardRules,
  group: number | null = null,
): RewardStages {
  const nonterminal = reachedTerminalState ? null : rules.nonterminal_reward;
  const all = withNonterminal(rewards, group, nonterminal, rules.nonterminal_mode);
  const sum = all.length === 0 ? null : all.reduce((total, reward) => total + reward, 0);
  const reduced = finite(all.every(Number.isFinite) ? reduce(all, rules.reward_reduction) : null);
  return {
    group,
    nonterminal,
    sum,
    reduction: rules.reward_reduction,
    reduced,
    clamped: reduced === null ? null : trainable(clamp(reduced, rules)),
  };
}

/** AppError `environment-reward-invalid` where there were rewards, and none came of them; else null. */
export function rewardFault(
  { sum, reduced, clamped }: RewardStages,
  environment: string,
): AppError | null {
  if (sum === null || clamped !== null) return null;
  const problem =
    reduced === null
      ? "rewards that are not finite numbers, or add up to none"
      : `a reward of ${reduced}, which is larger than ${MAX_REWARD} in size`;
  return new AppError(
    INVALID_REWARD,
    `Environment ${environment} gave ${problem}. Correct how it computes rewards, or bound them with min_reward and max_reward.`,
  );
}

/**
 * What a rollout earned from each of its turns on, from the rewards of its turns: G_t = r_t + discount r_(t+1) + discount² r_(t+2) + … (Sutton and Barto
 * 2018, equation 3.8), raised to `min_reward` and lowered to `max_reward` as the reward of a rollout is. The score of the group and
 * `nonterminal_reward` count in the last turn. Without a discount the first one is the reward of the rollout with `reward_reduction: sum`.
 */
export function returnsByTurn(
  rewards: readonly number[],
  { group, nonterminal }: Pick<RewardStages, "group" | "nonterminal">,
  rules: RewardRules,
  discount: number,
): readonly number[] {
  const isReplaced = nonterminal !== null && rules.nonterminal_mode === "replace";
  const atEnd = (nonterminal ?? 0) + (isReplaced ? 0 : (group ?? 0));
  const returns = rewards.map((reward) => (isReplaced ? 0 : reward));
  for (let turn = returns.length - 1; turn >= 0; turn -= 1) {
    const later = turn === returns.length - 1 ? atEnd : discount * (returns[turn + 1] ?? 0);
    returns[turn] = (returns[turn] ?? 0) + later;
  }
  return returns.map((value) => clamp(value, rules));
}

function finite(reward: number | null): number | null {
  return Number.isFinite(reward) ? reward : null;
}

function trainable(reward: number | null): number | null {
  return reward !== null && Math.abs(reward) <= MAX_REWARD ? reward : null;
}

function withNonterminal(
  rewards: readonly number[],
  group: number | null,
  nonterminal: number | null,
  mode: RewardRules["nonterminal_mode"],
): readonly number[] {
  const score = group === null ? [] : [group];
  if (nonterminal === null) return [...rewards, ...score];
  return mode === "replace" ? [nonterminal] : [...rewards, nonterminal, ...score];
}

function reduce(
  rewards: readonly number[],
  reduction: EnvironmentConfig["reward_reduction"],
): number | null {
  if (rewards.length === 0) return null;
  const total = rewards.reduce((sum, reward) => sum + reward, 0);
  switch (reduction) {
    case "sum":
      return total;
    case "mean":
      return total / rewards.length;
    case "max":
      return Math.max(...rewards);
    case "min":
      return Math.min(...rewards);
    case "last":
      return rewards.at(-1) ?? null;
    default:
      return assertNever(reduction);
  }
}

function clamp(reward: number, rules: RewardRules): number {
  const raised = rules.min_reward === null ? reward : Math.max(reward, rules.min_reward);
  return rules.max_reward === null ? raised : Math.min(raised, rules.max_reward);
}
