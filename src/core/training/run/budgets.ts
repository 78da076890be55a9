/** What ends a run before its plan does: budgets that are used up, and a target that is reached. */

import { formatCost, formatCount, formatMeasure } from "../../../shared/format.ts";
import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import { type Prices, usedTotal } from "../../usage/prices.ts";
import type { RunUsage } from "../../usage/tokenUsage.ts";
import { mean } from "../../util/stats.ts";

/** The code of a run that has reached its target: it is done. */
export const TARGET_REACHED = "target-reached";

type Limits = Pick<
  Config,
  "max_cost_usd" | "max_hours" | "max_tokens_total" | "model_name" | "target_reward"
>;

/** What a run has used, in all its attempts. */
export interface Spent {
  readonly usage: RunUsage;
  readonly prices: Prices | null;
  readonly seconds: number;
}

/** The used part of each budget, 1 when all of it is used; absent without the budget. */
export interface BudgetShares {
  readonly cost_frac?: number;
  readonly tokens_frac?: number;
  readonly hours_frac?: number;
}

export function budgetShares(limits: Limits, { usage, prices, seconds }: Spent): BudgetShares {
  const { max_cost_usd: usd, max_hours: hours, max_tokens_total: tokens } = limits;
  const used = usedTotal(usage, prices);
  return {
    ...(usd !== null && used.costUsd !== null && { cost_frac: used.costUsd / usd }),
    ...(tokens !== null && { tokens_frac: used.tokens / tokens }),
    ...(hours !== null && { hours_frac: seconds / 3600 / hours }),
  };
}

/** Why a run ends now; null when it goes on. `rewards` are the mean rewards of its steps, null where none was scored. */
export function earlyEnd(
  limits: Limits,
  spent: Spent,
  rewards: readonly (number | null)[],
): AppError | null {
  const { max_cost_usd: usd, max_hours: hours, max_tokens_total: tokens } = limits;
  const shares = budgetShares(limits, spent);
  const isUsed = (share: number | undefined): boolean => (share ?? 0) >= 1;
  if (usd !== null && isUsed(shares.cost_frac)) {
    return usedUp("cost-budget", `max_cost_usd: ${formatCost(usd)}`, "max_cost_usd");
  }
  if (tokens !== null && isUsed(shares.tokens_frac)) {
    return usedUp("token-budget", `max_tokens_total: ${formatCount(tokens)}`, "max_tokens_total");
  }
  if (hours !== null && isUsed(shares.hours_frac)) {
    return usedUp("time-budget", `max_hours: ${hours}`, "max_hours");
  }
  return targetReached(limits, rewards);
}

function usedUp(code: string, budget: string, key: string): AppError {
  const message = `The run has used up its budget (${budget}). It is saved: resume it with a higher ${key} to go on.`;
  return new AppError(code, message);
}

function targetReached(
  { target_reward: target }: Limits,
  rewards: readonly (number | null)[],
): AppError | null {
  if (target === null || rewards.length < target.steps) return null;
  const last = rewards.slice(-target.steps).filter((reward) => reward !== null);
  const reached = mean(last);
  if (reached === null || last.length < target.steps || reached < target.reward) return null;
  const message = `The run has reached its target: the mean reward of the last ${target.steps} steps is ${formatMeasure(reached)}, and target_reward asks for ${target.reward}.`;
  return new AppError(TARGET_REACHED, message);
}
