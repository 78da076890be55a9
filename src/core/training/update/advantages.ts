/**
 * Advantages of the rollouts of a step. The other rollouts of a group, all of the same task, are the baseline, so no value network is
 * trained, as in GRPO (Shao et al. 2024, arXiv:2402.03300). What each method computes from a reward r:
 *
 * | Method | Formula | Source |
 * |---|---|---|
 * | `direct` | r | REINFORCE without a baseline |
 * | `centered` | r - mean of the group | Dr. GRPO (Liu et al. 2025, arXiv:2503.20783) |
 * | `centered_normalized` | (r - mean) / (sample std of the group + eps), 0 for equal rewards | GRPO |
 * | `rloo` | r - mean of the others = (r - mean) n / (n - 1) | Kool et al. 2019; Ahmadian et al. 2024, arXiv:2402.14740 |
 * | `batch_normalized` | (r - mean) / (sample std of these over all groups + eps) | REINFORCE++ with baseline (Hu et al. 2025, arXiv:2501.03262) |
 *
 * With `credit: reward_to_go` r is the return of one turn, and the group are the rollouts that have this turn.
 */

import type { Config } from "../../config/fields/schema.ts";
import { assertNever } from "../../errors.ts";
import { areEqualRewards } from "../../runFolder/metrics/outcomes.ts";
import { summarize } from "../../util/stats.ts";

export type AdvantageRules = Pick<
  Config,
  "advantage_calculation" | "advantage_eps" | "advantage_clip"
>;

/** Rewards or advantages of a group, in rollout order. */
type Group = readonly number[];

/** One advantage per reward of the trained groups. `advantage_clip` bounds the absolute value. */
export function computeAdvantages(
  groups: readonly Group[],
  rules: AdvantageRules,
): readonly Group[] {
  const clip = rules.advantage_clip ?? Number.POSITIVE_INFINITY;
  return rawAdvantages(groups, rules).map((group) =>
    group.map((advantage) => Math.min(Math.max(advantage, -clip), clip)),
  );
}

/**
 * Advantages per turn of each rollout, group by group, from its returns. A rollout with one return has one advantage. A turn that no
 * other rollout of the group reached cannot be compared, and takes the advantage of the turn before.
 */
export function turnAdvantages(
  groups: readonly (readonly Group[])[],
  rules: AdvantageRules,
): readonly (readonly Group[])[] {
  const turns = groups.map(byTurn);
  const compared = computeAdvantages(
    turns.flatMap((own) => own.filter((values) => isCompared(values, rules))),
    rules,
  );
  let next = 0;
  return groups.map((group, g) => {
    const advantages = group.map((): number[] => []);
    for (const [turn, values] of turns[g]?.entries() ?? []) {
      const reached = advantages.filter((_, member) => (group[member]?.length ?? 0) > turn);
      const own = isCompared(values, rules) ? compared[next++] : undefined;
      for (const [i, each] of reached.entries()) each.push(own?.[i] ?? each.at(-1) ?? 0);
    }
    return advantages;
  });
}

/** Returns of a group by turn; each turn lists the rollouts that have it, in order. */
export function byTurn(group: readonly Group[]): readonly Group[] {
  const count = Math.max(0, ...group.map((returns) => returns.length));
  return Array.from({ length: count }, (_, turn) =>
    group.flatMap((returns) => returns[turn] ?? []),
  );
}

function isCompared(values: Group, { advantage_calculation: method }: AdvantageRules): boolean {
  return method === "direct" || values.length > 1;
}

function rawAdvantages(
  groups: readonly Group[],
  { advantage_calculation: method, advantage_eps: eps }: AdvantageRules,
): readonly Group[] {
  switch (method) {
    case "direct":
      return groups;
    case "centered":
      return groups.map(centered);
    case "centered_normalized":
      return groups.map((rewards) => scaled(centered(rewards), rewards, eps));
    case "rloo":
      return groups.map((rewards) =>
        centered(rewards).map((value) => (value * rewards.length) / (rewards.length - 1)),
      );
    case "batch_normalized": {
      const all = groups.map(centered);
      const whole = all.flat();
      return all.map((group) => scaled(group, whole, eps));
    }
    default:
      return assertNever(method);
  }
}

function centered(rewards: Group): Group {
  const mean = summarize(rewards).mean ?? 0;
  return rewards.map((reward) => reward - mean);
}

/** Divides by the standard deviation of `all`; returns zeros when all values are equal. */
function scaled(values: Group, all: readonly number[], eps: number): Group {
  const { std } = summarize(all);
  if (std === null || areEqualRewards(all)) return values.map(() => 0);
  return values.map((value) => value / (std + eps));
}
