/** Decides what ends a run before its plan does: used-up budgets, a reached target, or steps without progress. */

import { NO_BEST, withReward } from "../../../shared/bestReward.ts";
import { formatCost, formatCount, formatMeasure } from "../../../shared/format.ts";
import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import type { Config } from "../../config/fields/schema.ts";
import type { ErrorCode } from "../../errorCodes.ts";
import { AppError } from "../../errors.ts";
import { type CountedUsage, costOf, type Prices, usedTotal } from "../../usage/prices.ts";
import { countTokens, type TokenUsage } from "../../usage/tokenUsage.ts";
import { mean } from "../../util/stats.ts";

/** Early ends that count as done. */
export const DONE_EARLY: ReadonlySet<ErrorCode> = new Set(["target-reached", "no-progress"]);

/** Early ends that a higher budget lets a run continue from. */
export const BUDGET_ENDS = ["cost-budget", "token-budget", "time-budget"] as const;

type Limits = Pick<
  Config,
  | "end_without_progress"
  | "max_cost_usd"
  | "max_hours"
  | "max_tokens_total"
  | "method"
  | "model_name"
  | "stop_at_step"
  | "target_reward"
>;

/** One value per completed step; null for a step without one. */
export interface ResultsByStep {
  readonly rewards: readonly (number | null)[];
  readonly heldOutLosses: readonly (number | null)[];
}

/** What a run has used so far over all attempts, including evaluations and rollouts that wait for their step. */
export interface Spent {
  /** Completed. */
  readonly steps: number;
  readonly usage: CountedUsage;
  readonly prices: Prices | null;
  readonly seconds: number;
  /** As in {@link RunStorage}. */
  readonly stage: string | null;
}

/** Used share of each budget, 1 when used up; absent without that budget. */
export function budgetShares(
  limits: Limits,
  { usage, prices, seconds }: Pick<Spent, "usage" | "prices" | "seconds">,
) {
  const { max_cost_usd: usd, max_hours: hours, max_tokens_total: tokens } = limits;
  const used = usedTotal(usage, prices);
  return withoutUndefined({
    cost_frac: usd === null || used.costUsd === null ? undefined : used.costUsd / usd,
    tokens_frac: tokens === null ? undefined : used.tokens / tokens,
    hours_frac: hours === null ? undefined : seconds / 3600 / hours,
  });
}

/**
 * How many of the next steps may be sampled: those up to `stop_at_step` while every token or cost budget lasts at the mean cost per step so
 * far. Infinity without such a limit; 1 before any step shows the cost. `tokens` are those of the completed `steps`.
 */
export function stepsWithinBudget(
  { max_cost_usd: usd, max_tokens_total: total, stop_at_step: stop }: Limits,
  { usage, prices }: Pick<Spent, "usage" | "prices">,
  { steps, tokens }: { readonly steps: number; readonly tokens: TokenUsage },
): number {
  const budgets: { readonly limit: number; readonly measure: (tokens: TokenUsage) => number }[] =
    [];
  if (total !== null) budgets.push({ limit: total, measure: countTokens });
  if (usd !== null && prices !== null) {
    budgets.push({ limit: usd, measure: (own) => costOf(own, prices) });
  }
  const counts = budgets.map(({ limit, measure }) => {
    const evaluated = measure(usage.evaluation);
    if (measure(usage.cumulative) + evaluated >= limit) return 0;
    if (steps === 0) return 1;
    const completed = measure(tokens);
    return Math.ceil((limit - evaluated - completed) / (completed / steps));
  });
  return Math.min((stop ?? Number.POSITIVE_INFINITY) - steps, ...counts);
}

/** True when a step's row decides whether another step follows. */
export function waitsForRow({
  pause_on_alarm: isPaused,
  target_reward: target,
  end_without_progress: patience,
}: Pick<Config, "end_without_progress" | "pause_on_alarm" | "target_reward">): boolean {
  return isPaused || target !== null || patience !== null;
}

/** Why the run ends now; null when it continues. */
export function earlyEnd(limits: Limits, spent: Spent, results: ResultsByStep): AppError | null {
  const { max_cost_usd: usd, max_hours: hours, max_tokens_total: tokens } = limits;
  const shares = budgetShares(limits, spent);
  const isUsed = (share: number | undefined): boolean => (share ?? 0) >= 1;
  if (usd !== null && isUsed(shares.cost_frac)) {
    return usedUp("cost-budget", "max_cost_usd", formatCost(usd), spent);
  }
  if (tokens !== null && isUsed(shares.tokens_frac)) {
    return usedUp("token-budget", "max_tokens_total", formatCount(tokens), spent);
  }
  if (hours !== null && isUsed(shares.hours_frac)) {
    return usedUp("time-budget", "max_hours", String(hours), spent);
  }
  return (
    targetReached(limits, results.rewards) ??
    withoutProgress(limits, results) ??
    stopReached(limits, spent)
  );
}

function usedUp(
  code: ErrorCode,
  key: string,
  budget: string,
  { stage }: Pick<Spent, "stage">,
): AppError {
  const [subject, next] =
    stage === null
      ? ["The run has used up its budget", "resume it"]
      : [`Stage ${stage} has used up its part of the budget`, "train the file again"];
  const message = `${subject} (${key}: ${budget}). It is saved: ${next} with a higher ${key}.`;
  return new AppError(code, message);
}

function stopReached({ stop_at_step: stop }: Limits, { steps }: Spent): AppError | null {
  if (stop === null || steps < stop) return null;
  const message = `The run has stopped after step ${steps}, because stop_at_step is ${stop}. It is saved, and a resume continues it.`;
  return new AppError("stop-at-step", message);
}

function targetReached(
  { target_reward: target }: Limits,
  rewards: readonly (number | null)[],
): AppError | null {
  if (target === null || rewards.length < target.steps) return null;
  const last = rewards.slice(-target.steps).filter((reward) => reward !== null);
  const reached = mean(last);
  if (reached === null || last.length < target.steps || reached < target.reward) return null;
  const message = `The run has reached its target: the mean reward of the last ${target.steps} steps is ${formatMeasure(reached)}, and target_reward is ${target.reward}.`;
  return new AppError("target-reached", message);
}

function withoutProgress(
  { end_without_progress: patience, method }: Limits,
  { rewards, heldOutLosses }: ResultsByStep,
): AppError | null {
  if (patience === null) return null;
  const best = method === "sft" ? lowestStep(heldOutLosses) : bestStep(rewards);
  if (best === null || rewards.length - best < patience) return null;
  const measure = method === "sft" ? "held_out/loss was lowest" : "the mean reward was highest";
  const message = `The run has ended because it made no progress for ${rewards.length - best} steps: ${measure} after step ${best}, and end_without_progress is ${patience}.`;
  return new AppError("no-progress", message);
}

/** Number of steps after which the five-step mean reward was highest; null without rewards. */
function bestStep(rewards: readonly (number | null)[]): number | null {
  const reached = rewards.reduce(
    (before, reward, step) => (reward === null ? before : withReward(before, reward, step)),
    NO_BEST,
  );
  return reached.best?.step ?? null;
}

/** Number of steps after which the loss was lowest; null without one. */
function lowestStep(losses: readonly (number | null)[]): number | null {
  const measured = losses.filter((loss) => loss !== null);
  return measured.length === 0 ? null : losses.indexOf(Math.min(...measured)) + 1;
}
