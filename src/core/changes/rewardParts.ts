/** Rewards of parts of a step: its environments, its splits, and tasks that are hard or easy for the current model. */

import type { RewardPart } from "../../shared/changes.ts";
import { groupBy } from "../../shared/groupBy.ts";
import { rewardInterval } from "../../shared/interval.ts";
import { mean } from "../util/stats.ts";

interface Scored {
  readonly environment: string;
  readonly split: string;
  readonly group: number;
  readonly reward: number | null;
}

const DIFFICULTIES = ["hard", "middle", "easy"] as const;

/**
 * Parts by environment, split and difficulty, at most `max` of each. Difficulty divides the groups into thirds. One half of a
 * group's rollouts determines its third, and the other half is reported, then the roles are swapped. Ranking and reporting the
 * same rewards would show differences even if all tasks were equally hard.
 */
export function rewardParts(rollouts: readonly Scored[], max: number): readonly RewardPart[] {
  const groups = [...groupBy(rollouts, ({ group }) => group).values()];
  const named = (by: "environment" | "split", nameOf: (rollout: Scored) => string) => {
    const byName = groupBy(groups, ([first]) => (first === undefined ? "" : nameOf(first)));
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
  const halved = groups.filter(({ length }) => length >= 2).map(halves);
  if (halved.length < DIFFICULTIES.length) return [];
  const inOrders = ([0, 1] as const).map((own) =>
    halved
      .map((each, group) => ({ group, order: mean(each[own]) ?? 0, shown: each[1 - own] ?? [] }))
      .sort((a, b) => a.order - b.order),
  );
  const third = halved.length / DIFFICULTIES.length;
  return DIFFICULTIES.flatMap((name, at) => {
    const own = inOrders.flatMap((sorted) =>
      sorted.slice(Math.round(at * third), Math.round((at + 1) * third)),
    );
    const rollouts = own.flatMap(({ shown }) => shown).length;
    const byGroup = groupBy(own, ({ group }) => group);
    const means = [...byGroup.values()].map((each) => each.map(({ shown }) => mean(shown) ?? 0));
    return partOf({ by: "difficulty", name, rollouts }, means);
  });
}

/** Every other rollout of a group, and the rest. */
function halves(rewards: readonly number[]): readonly [readonly number[], readonly number[]] {
  return [rewards.filter((_, at) => at % 2 === 0), rewards.filter((_, at) => at % 2 === 1)];
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
