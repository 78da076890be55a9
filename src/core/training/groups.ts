/** Decides which groups of a step are trained on, and with which advantages. */

import { zeroVariancePolicy } from "../config/presets.ts";
import type { Config } from "../config/schema.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import type { GroupFacts } from "../run/stepFacts.ts";
import { groupBy } from "../util/groupBy.ts";
import { areAllEqual, computeAdvantages } from "./advantages.ts";

export interface ScoredRollout {
  readonly rollout: FinishedRollout;
  /** Null when it is not trained on. */
  readonly advantage: number | null;
  readonly fate: "trained" | `excluded:${string}`;
}

export interface ScoredGroup {
  readonly facts: GroupFacts;
  readonly rollouts: readonly ScoredRollout[];
}

/** Scores the finished rollouts of a step, group by group in their order. */
export function scoreGroups(
  rollouts: readonly FinishedRollout[],
  config: Config,
): readonly ScoredGroup[] {
  const groups = groupBy(rollouts, (rollout) => rollout.task.group);
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([group, members]) => {
      const ordered = members.toSorted((a, b) => a.task.rollout - b.task.rollout);
      return scoreGroup(group, ordered, config);
    });
}

function scoreGroup(
  group: number,
  members: readonly FinishedRollout[],
  config: Config,
): ScoredGroup {
  const scored = members.filter((member) => member.reward !== null);
  const rewards = scored.map((member) => member.reward ?? 0);
  const excluded = whyExcluded(members, rewards, config);
  if (excluded !== null) {
    return {
      facts: { group, excluded, isPartial: false },
      rollouts: members.map((rollout) => ({
        rollout,
        advantage: null,
        fate: `excluded:${excluded}`,
      })),
    };
  }
  const advantages = computeAdvantages(rewards, config);
  const byRollout = new Map(scored.map((member, i) => [member, advantages[i] ?? 0]));
  return {
    facts: { group, excluded: null, isPartial: scored.length < members.length },
    rollouts: members.map((rollout) => {
      const advantage = byRollout.get(rollout) ?? null;
      return { rollout, advantage, fate: advantage === null ? "excluded:failed" : "trained" };
    }),
  };
}

/** Failures first, then too little to compare, then rewards that are all equal (training-loop rules A-25, C.5). */
function whyExcluded(
  members: readonly FinishedRollout[],
  rewards: readonly number[],
  config: Config,
): string | null {
  const environment = members[0]?.task.environment ?? "";
  const allowed = config.environments[environment]?.max_failing_rollouts ?? 0;
  if (rewards.length === 0 || members.length - rewards.length > allowed) return "failures";
  const isCentered = config.advantage_calculation !== "direct";
  if (isCentered && rewards.length < 2) return "too_few";
  if (zeroVariancePolicy(config) === "drop" && areAllEqual(rewards)) return "zero_variance";
  return null;
}
