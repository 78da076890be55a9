/** Projects a plan's tokens, given weights for the measured rollouts. */

import { sum } from "../../shared/mean.ts";
import { addTokens, NO_TOKENS, TOKEN_KINDS, type TokenUsage } from "../usage/tokenUsage.ts";
import { mean } from "../util/stats.ts";
import { type Basis, type MeasuredRollout, type PlayedGroup, spread } from "./basis.ts";
import type { EstimatePlan } from "./plan.ts";
import { type SharesOf, type TrainedShares, trainedSharesOf } from "./trainedShare.ts";

export interface TokenProjection {
  readonly training: TokenUsage;
  readonly evaluation: TokenUsage;
  /** Number of batches per step due to `refill`. */
  readonly batches: number;
}

export interface Weigh {
  /** Weight with a mean of 1. */
  readonly one: () => number;
  /** Weight of rollouts with a reward that no measured rollout had. */
  readonly unseen: () => number;
  /** The model's average progress over the run toward its rewarded rollouts. */
  readonly learned: () => number;
  /** Factor by which answers become longer, independently of rewards. */
  readonly change: () => number;
}

export function plannedEnvironments({
  environments,
  evaluations,
}: EstimatePlan): readonly string[] {
  const evaluated = evaluations.count === 0 ? [] : evaluations.rollouts;
  return [
    ...new Set([
      ...environments.map(({ name }) => name),
      ...evaluated.map(({ environment }) => environment),
    ]),
  ];
}

export function projector(basis: Basis, plan: EstimatePlan): (weigh: Weigh) => TokenProjection {
  const names = plannedEnvironments(plan);
  const sources = new Map(names.map((name) => [name, sourceOf(basis, name, plan)]));
  return (weigh) => {
    const drawn = { change: weigh.change(), learned: weigh.learned(), unseen: weigh.unseen() };
    const typicals = new Map(
      [...sources].map(([name, source]) => [name, typical(source, drawn, weigh.one)]),
    );
    return project(basis, plan, typicals);
  };
}

/** The groups that represent an environment. */
interface Source {
  readonly groups: readonly PlayedGroup[];
  readonly trainedShares: SharesOf;
  /** Each rollout's reward above the lowest, divided by the mean of these differences; 1 if all are equal. */
  readonly gains: readonly (readonly number[])[];
}

/** Maximum number of groups per environment. More would hardly narrow the ranges, and each is weighted a thousand times. */
const MAX_GROUPS = 250;

/** An environment without groups uses those of all environments. */
function sourceOf(
  { groups: all, isForwardOnly }: Basis,
  environment: string,
  { trainsOnEqual }: EstimatePlan,
): Source {
  const own = all.filter((group) => group.environment === environment);
  const groups = spread(own.length === 0 ? all : own, MAX_GROUPS);
  const rollouts = groups.flatMap((group) => group.rollouts);
  const lowest = rollouts.reduce(
    (least, { reward }) => Math.min(least, reward ?? least),
    Number.POSITIVE_INFINITY,
  );
  const above = ({ reward }: MeasuredRollout): number => (reward === null ? 0 : reward - lowest);
  const average = mean(rollouts.map(above)) ?? 0;
  const gain = (rollout: MeasuredRollout): number => (average > 0 ? above(rollout) / average : 1);
  const gains = groups.map((group) => group.rollouts.map(gain));
  const shares = { isLearned: !isForwardOnly, trainsOnEqual };
  return { groups, trainedShares: trainedSharesOf(groups, shares), gains };
}

interface Drawn {
  readonly change: number;
  readonly learned: number;
  readonly unseen: number;
}

/** An average rollout, and the shares of rollouts that are passed and trained on in groups of a given size. */
interface Typical {
  readonly tokens: TokenUsage;
  readonly data: number;
  readonly shares: (size: number) => TrainedShares;
}

function typical(
  { groups, trainedShares, gains }: Source,
  { change, learned, unseen }: Drawn,
  one: () => number,
): Typical {
  const sums = {
    sampled: 0,
    prefill_cached: 0,
    prefill_uncached: 0,
    trained: 0,
    data: 0,
    weight: 0,
  };
  const weights = groups.map(({ rollouts }, group) => {
    const ofGroup = one();
    return rollouts.map((rollout, i) => {
      const gain = gains[group]?.[i] ?? 1;
      const weight = ofGroup * one() * (1 + learned * (gain - 1));
      for (const kind of TOKEN_KINDS) sums[kind] += rollout.tokens[kind] * weight;
      sums.data += rollout.data * weight;
      sums.weight += weight;
      return weight;
    });
  });
  const { data, weight, ...tokens } = sums;
  return {
    tokens: scaled(tokens, change / weight),
    data: (data * change) / weight,
    shares: (size) => trainedShares(weights, size, unseen),
  };
}

/** Combines the average rollouts of the planned environments. */
function project(
  basis: Basis,
  plan: EstimatePlan,
  typicals: ReadonlyMap<string, Typical>,
): TokenProjection {
  const parts = plan.environments.flatMap(({ name, groups, rollouts }) => {
    const own = typicals.get(name);
    if (own === undefined) return [];
    return [{ ...own, groups, rollouts, share: own.shares(rollouts) }];
  });
  const planned = sum(parts.map(({ groups }) => groups));
  // `refill` does not replace rollouts that are masked later.
  const taught = sum(parts.map(({ groups, share }) => groups * share.passed));
  const most = plan.groupsInData ?? Number.POSITIVE_INFINITY;
  const batches = planned === 0 ? 0 : Math.min(plan.mostBatches, planned / taught, most / planned);
  let training = basis.serverCheck;
  for (const { tokens, data, share, ...each } of parts) {
    const rollouts = each.groups * batches * each.rollouts;
    training = addTokens(training, scaled(tokens, rollouts));
    training = addTokens(training, {
      trained: rollouts * share.trained * data * plan.passes.trained,
      prefill_uncached: rollouts * share.passed * data * plan.passes.forward,
    });
  }
  let evaluation = NO_TOKENS;
  for (const { environment, count } of plan.evaluations.rollouts) {
    const tokens = typicals.get(environment)?.tokens ?? NO_TOKENS;
    evaluation = addTokens(evaluation, scaled(tokens, plan.evaluations.count * count));
  }
  return { training, evaluation, batches };
}

function scaled(tokens: TokenUsage, factor: number): TokenUsage {
  let all = NO_TOKENS;
  for (const kind of TOKEN_KINDS) all = addTokens(all, { [kind]: tokens[kind] * factor });
  return all;
}
