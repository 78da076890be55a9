/** Projects a plan's tokens, given weights for the measured rollouts. */

import { sum } from "../../shared/mean.ts";
import { addTokens, NO_TOKENS, TOKEN_KINDS, type TokenUsage } from "../usage/tokenUsage.ts";
import { mean } from "../util/stats.ts";
import {
  type Basis,
  type EvaluatedTokens,
  type MeasuredRollout,
  type PlayedGroup,
  spread,
} from "./basis.ts";
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

/** Planned environments without rollouts in the basis. */
export function unplayedEnvironments(
  { groups, evaluated }: Basis,
  { environments, evaluations }: EstimatePlan,
): readonly string[] {
  const trained = new Set(groups.map(({ environment }) => environment));
  const played = new Set([...trained, ...evaluated.map(({ environment }) => environment)]);
  const planned = evaluations.count === 0 ? [] : evaluations.rollouts;
  const unplayed = [
    ...environments.flatMap(({ name }) => (trained.has(name) ? [] : name)),
    ...planned.flatMap(({ environment }) => (played.has(environment) ? [] : environment)),
  ];
  return [...new Set(unplayed)];
}

export function projector(basis: Basis, plan: EstimatePlan): (weigh: Weigh) => TokenProjection {
  const names = [
    ...plan.environments.map(({ name }) => name),
    ...plan.evaluations.rollouts.map(({ environment }) => environment),
  ];
  const sources = new Map(names.map((name) => [name, sourceOf(basis, name, plan)]));
  const evaluations = plan.evaluations.rollouts.map((cell) => {
    return { ...cell, evaluated: evaluatedLike(basis.evaluated, cell) };
  });
  return (weigh) => {
    const drawn = { change: weigh.change(), learned: weigh.learned(), unseen: weigh.unseen() };
    const typicals = new Map(
      [...sources].map(([name, source]) => [name, typical(source, drawn, weigh.one)]),
    );
    let evaluation = NO_TOKENS;
    for (const { environment, count, evaluated } of evaluations) {
      const ofTraining = typicals.get(environment)?.tokens ?? NO_TOKENS;
      const tokens = evaluated.length === 0 ? ofTraining : averageOf(evaluated, weigh.one);
      evaluation = addTokens(evaluation, scaled(tokens, plan.evaluations.count * count));
    }
    return { ...projectTraining(basis, plan, typicals), evaluation };
  };
}

/** The groups that represent an environment. */
interface Source {
  readonly groups: readonly PlayedGroup[];
  readonly trainedShares: SharesOf;
  /** Each rollout's reward above the lowest, divided by the mean of these differences; 1 if all are equal. */
  readonly gains: readonly (readonly number[])[];
  /** Whether a rollout counts in the mean length of training data. */
  readonly isData: (rollout: MeasuredRollout) => boolean;
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
  // A few sampled groups have too few trained rollouts for their mean length.
  const countsTrained = !isForwardOnly && rollouts.some(({ isTrained }) => isTrained);
  const isData = ({ data, isTrained }: MeasuredRollout): boolean =>
    countsTrained ? isTrained : data > 0;
  return { groups, trainedShares: trainedSharesOf(groups, shares), gains, isData };
}

/** Rollouts of an environment's evaluations: those at the same temperature, or all if there are none. */
function evaluatedLike(
  evaluated: readonly EvaluatedTokens[],
  { environment, temperature }: Pick<EvaluatedTokens, "environment" | "temperature">,
): readonly Summed[] {
  const all = evaluated.filter((each) => each.environment === environment);
  const same = all.filter((each) => each.temperature === temperature);
  const rollouts = same.length > 0 ? same : all;
  // Summed over neighbors, because a task's first rollout differs from the others, whose prompts are cached.
  const size = Math.max(1, Math.ceil(rollouts.length / MAX_GROUPS));
  return Array.from({ length: Math.ceil(rollouts.length / size) }, (_, i) => {
    const own = rollouts.slice(i * size, (i + 1) * size).map(({ tokens }) => tokens);
    return { tokens: own.reduce(addTokens, NO_TOKENS), count: own.length };
  });
}

/** Tokens of several rollouts. */
interface Summed {
  readonly tokens: TokenUsage;
  readonly count: number;
}

function averageOf(parts: readonly Summed[], one: () => number): TokenUsage {
  let [all, rollouts] = [NO_TOKENS, 0];
  for (const { tokens, count } of parts) {
    const weight = one();
    all = addTokens(all, scaled(tokens, weight));
    rollouts += count * weight;
  }
  return scaled(all, 1 / rollouts);
}

interface Drawn {
  readonly change: number;
  readonly learned: number;
  readonly unseen: number;
}

/** An average rollout, and the shares of rollouts that are passed and trained on in groups of a given size. */
interface Typical {
  readonly tokens: TokenUsage;
  /** Tokens of its training data, if it is trained on. */
  readonly data: number;
  readonly shares: (size: number) => TrainedShares;
}

function typical(
  { groups, trainedShares, gains, isData }: Source,
  { change, learned, unseen }: Drawn,
  one: () => number,
): Typical {
  const sums = {
    sampled: 0,
    prefill_cached: 0,
    prefill_uncached: 0,
    trained: 0,
    data: 0,
    ofData: 0,
    weight: 0,
  };
  const weights = groups.map(({ rollouts }, group) => {
    const ofGroup = one();
    return rollouts.map((rollout, i) => {
      const gain = gains[group]?.[i] ?? 1;
      const weight = ofGroup * one() * (1 + learned * (gain - 1));
      for (const kind of TOKEN_KINDS) sums[kind] += rollout.tokens[kind] * weight;
      if (isData(rollout)) {
        sums.data += rollout.data * weight;
        sums.ofData += weight;
      }
      sums.weight += weight;
      return weight;
    });
  });
  const { data, ofData, weight, ...tokens } = sums;
  return {
    tokens: scaled(tokens, change / weight),
    data: ofData === 0 ? 0 : (data * change) / ofData,
    shares: (size) => trainedShares(weights, size, unseen),
  };
}

/** Combines the average rollouts of the planned environments. */
function projectTraining(
  basis: Basis,
  plan: EstimatePlan,
  typicals: ReadonlyMap<string, Typical>,
): Omit<TokenProjection, "evaluation"> {
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
  return { training, batches };
}

function scaled(tokens: TokenUsage, factor: number): TokenUsage {
  let all = NO_TOKENS;
  for (const kind of TOKEN_KINDS) all = addTokens(all, { [kind]: tokens[kind] * factor });
  return all;
}
