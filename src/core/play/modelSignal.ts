/** Checks whether the rewards of a model's rollouts differ, because a group with equal rewards gives no signal (GRPO, arXiv:2402.03300). */

import { formatCost, formatCount, formatReward, plural } from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { CheckResult } from "../environmentCheck/checkEnvironment.ts";
import { type CheckFinding, found, notMade } from "../environmentCheck/probe/finding.ts";
import { areEqualRewards } from "../runFolder/metrics/outcomes.ts";
import { countTokens, type TokenUsage } from "../usage/tokenUsage.ts";
import { mean } from "../util/stats.ts";

/** A rollout of the model. */
export interface ModelPlay {
  /** The same for all rollouts of one task. */
  readonly group: number;
  /** Null if it failed. */
  readonly reward: number | null;
  /** Why it failed; null if it ended without an error. */
  readonly error: string | null;
  readonly used: TokenUsage;
  /** Null if prices are unknown. */
  readonly costUsd: number | null;
}

const CHECK = {
  id: "model-signal",
  rule: "The rewards of a group of the model's rollouts differ.",
};
/** Minimum share of groups with a signal. Below it, most samples are useless. */
const FEW = 0.25;

/** Result of an additional check, based on groups of rollouts of `model`. */
export function modelSignal(plays: readonly ModelPlay[], model: string): CheckResult {
  const groups = [...groupBy(plays, ({ group }) => group).values()].map((own) =>
    own.flatMap(({ reward }) => reward ?? []),
  );
  const scored = groups.filter((rewards) => rewards.length > 1);
  if (groups.flat().length === 0) return { ...CHECK, ...found(undefined, allFailed(plays, model)) };
  if (scored.length === 0) {
    return { ...CHECK, ...notMade(`no group has two rollouts of ${model} with a reward`) };
  }
  const withSignal = scored.filter((rewards) => !areEqualRewards(rewards)).length;
  const rewards = scored.flat();
  const size = Math.max(...scored.map(({ length }) => length));
  const share = `${withSignal} of ${plural(scored.length, "{0} group", "{0} groups")} of ${size} have a signal`;
  const measured = `${share}; mean reward ${formatReward(mean(rewards) ?? 0)}; ${perRollout(plays)}`;
  return {
    ...CHECK,
    ...found(measured, finding(withSignal / scored.length, rewards, { share, model })),
  };
}

function allFailed(plays: readonly ModelPlay[], model: string): CheckFinding {
  const error = plays.find((play) => play.error !== null)?.error;
  return {
    severity: "defect",
    message: `All ${plays.length} rollouts of ${model} failed or ended without a reward.`,
    evidence: error == null ? {} : { answer: error },
    advice:
      error == null
        ? "Set `nonterminal_reward: 0`, or raise max_turns, so that a rollout that does not end has a reward."
        : "Fix that cause: a training would fail in the same way.",
  };
}

/** Averages over rollouts that used tokens. */
function perRollout(all: readonly ModelPlay[]): string {
  const plays = all.filter(({ used }) => countTokens(used) > 0);
  const prompt = mean(plays.map(({ used }) => used.prefill_cached + used.prefill_uncached)) ?? 0;
  const sampled = mean(plays.map(({ used }) => used.sampled)) ?? 0;
  const costs = plays.flatMap(({ costUsd }) => costUsd ?? []);
  const cost = costs.length < plays.length ? "" : `, ${formatCost(mean(costs) ?? 0)}`;
  return `per rollout ${formatCount(Math.round(sampled))} sampled and ${formatCount(Math.round(prompt))} prompt tokens${cost}`;
}

function finding(
  fraction: number,
  rewards: readonly number[],
  { share, model }: { readonly share: string; readonly model: string },
): CheckFinding | null {
  if (fraction >= FEW) return null;
  const isSolved = (mean(rewards) ?? 0) > (Math.min(...rewards) + Math.max(...rewards)) / 2;
  const isConstant = areEqualRewards(rewards);
  const seen = isConstant ? `, and every rollout earns ${formatReward(rewards[0] ?? 0)}` : "";
  return {
    severity: "warning",
    message: `Only ${share}: most of what ${model} does here teaches it nothing${seen}.`,
    evidence: {},
    advice:
      isSolved || (isConstant && (rewards[0] ?? 0) > 0)
        ? "Choose harder tasks."
        : "Choose easier tasks or a stronger model, reward parts of a task, or raise num_rollouts.",
  };
}
