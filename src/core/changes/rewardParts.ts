/** Rewards of parts of a step: of its environments and splits, and of tasks that are hard or easy for the model as it is. */

import type { RewardPart } from "../../shared/changes.ts";
import { rewardInterval } from "../../shared/interval.ts";
import { groupBy } from "../util/groupBy.ts";
import { mean } from "../util/stats.ts";

interface Scored {
  readonly environment: string;
  readonly split: string;
  readonly group: number;
  readonly reward: number | null;
}

const DIFFICULTIES = ["hard", "middle", "easy"] as const;

/**
 * Parts by environment, by split and by difficulty, at most `max` of each; none where all rollouts would be in one part. Those
 * by difficulty are thirds of the groups in the order of their mean rewards, and weigh each group once.
 */
export function rewardParts(rollouts: readonly Scored[], max: number): readonly RewardPart[] {
  const groups = [...groupBy(rollouts, ({ group }) => group).values()];
  const named = (by: "environment" | "split", nameOf: (rollout: Scored) => string) => {
    const byName = groupBy(groups, ([first]) => (first === undefined ? "" : nameOf(first)));
    if (byName.size < 2) return [];
    return [...byName].slice(0, max).flatMap(([name, own]) => {
      const rewards = own.map(rewardsOf);
      return partOf({ by, name, rollouts: rewards.flat().length }, rewards);
    });
  };
  return [
    ...named("environment", ({ environment }) => environment),
    ...named("split", ({ environment, split }) => `${environment} ${split}`),
    ...thirds(groups.map(rewardsOf).filter(({ length }) => length > 0)),
  ];
}

function thirds(groups: readonly (readonly number[])[]): readonly RewardPart[] {
  if (groups.length < DIFFICULTIES.length) return [];
  const sorted = groups
    .map((rewards) => ({ rewards, mean: mean(rewards) ?? 0 }))
    .sort((a, b) => a.mean - b.mean);
  const third = sorted.length / DIFFICULTIES.length;
  return DIFFICULTIES.flatMap((name, at) => {
    const own = sorted.slice(Math.round(at * third), Math.round((at + 1) * third));
    const rollouts = own.flatMap(({ rewards }) => rewards).length;
    return partOf(
      { by: "difficulty", name, rollouts },
      own.map((group) => [group.mean]),
    );
  });
}

function partOf(
  named: Pick<RewardPart, "by" | "name" | "rollouts">,
  groups: readonly (readonly number[])[],
): readonly RewardPart[] {
  const own = mean(groups.flat());
  if (own === null) return [];
  const { low = null, high = null } = rewardInterval(groups) ?? {};
  return [{ ...named, mean: own, low, high }];
}

function rewardsOf(rollouts: readonly Scored[]): readonly number[] {
  return rollouts.flatMap(({ reward }) => reward ?? []);
}
