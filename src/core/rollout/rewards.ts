/** Combines the rewards of a rollout into one number. */

import type { EnvironmentConfig } from "../config/fields/schema.ts";
import { AppError, assertNever } from "../errors.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { INVALID_REWARD } from "./faults.ts";

export type RewardRules = Pick<
  EnvironmentConfig,
  "reward_reduction" | "nonterminal_reward" | "nonterminal_mode" | "min_reward" | "max_reward"
>;

type RewardStages = RolloutRecord["rewardBreakdown"];

/** Advantages, losses and their sums are 32-bit floats with a maximum of 3.4e38; rewards up to this size leave headroom. */
export const MAX_REWARD = 1e30;

/**
 * `nonterminal_reward` is added to, or replaces, the rewards of a rollout that did not finish. The group's score counts as the last of
 * the environment's rewards. The rewards are then reduced, and the result is clamped to `min_reward` and `max_reward`.
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

/** AppError `environment-reward-invalid` if there were rewards but no usable result; otherwise null. */
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
 * The return of each turn from its rewards: G_t = r_t + discount r_(t+1) + discount² r_(t+2) + … (Sutton and Barto 2018, equation 3.8),
 * clamped to `min_reward` and `max_reward` like a rollout's reward. The group's score and `nonterminal_reward` count in the last turn.
 * Without a discount, the first return is the rollout's reward under `reward_reduction: sum`.
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
