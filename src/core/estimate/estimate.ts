/**
 * Tokens, USD and hours of a whole run, from a part of it that was played.
 *
 * Ranges hold the middle 90 % of what the plan comes to when the played groups and rollouts weigh more or less, each weight drawn from
 * an exponential distribution (the Bayesian bootstrap, Rubin 1981, <https://doi.org/10.1214/aos/1176345338>). The share of groups that
 * are trained on has the prior of Jeffreys there: half a group that is and half a one that is not count beside those that were played.
 * A model that learns comes to write more or less: where only its first weights have played, ranges allow for that, too.
 */

import { costOf, type Prices } from "../usage/prices.ts";
import {
  addTokens,
  countTokens,
  NO_TOKENS,
  TOKEN_KINDS,
  type TokenKind,
  type TokenUsage,
} from "../usage/tokenUsage.ts";
import { percentile, sum } from "../util/stats.ts";
import { createUniform } from "../util/uniform.ts";
import type { Basis, PlayedGroup } from "./basis.ts";
import { type HoursRange, hoursOf } from "./hours.ts";
import type { EstimatePlan } from "./plan.ts";

export interface Range {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Estimate {
  /** Of training and evaluations together. */
  readonly tokens: Readonly<Record<TokenKind, Range>>;
  /** Of all kinds. */
  readonly totalTokens: Range;
  /** The part of it for evaluations. */
  readonly evaluationTokens: Range;
  /** Null when not all prices are known. */
  readonly costUsd: Range | null;
  /** Null when the basis has no times. */
  readonly hours: HoursRange | null;
  /** Steps that it is for. */
  readonly steps: number;
  /** Environments of the plan that the basis has not played: they are taken to be like the others. */
  readonly unplayed: readonly string[];
}

const DRAWS = 1_000;
/** How much longer or shorter answers become on average over a run: one standard deviation, of the logarithm. */
const CHANGE = 0.25;
/** Share of the draws on each side of a range. */
const TAIL = 0.05;

/** Equal for equal arguments. */
export function estimateRun(basis: Basis, plan: EstimatePlan, prices: Prices | null): Estimate {
  const uniform = createUniform(1);
  const isTrained = basis.groups.some(({ trainedFraction }) => trainedFraction > 0);
  const expected = project(basis, plan, {
    ...{ one: () => 1, change: () => 1 },
    // The share that was found, unless nothing was: some groups of a run are trained on.
    half: () => (isTrained ? 0 : 0.5),
  });
  const exponential = (): number => -Math.log(1 - uniform());
  const cosine = (): number => Math.cos(2 * Math.PI * uniform());
  const weigh: Weigh = {
    one: exponential,
    // An exponential variable times one of the arcsine distribution has the gamma distribution of shape 1/2.
    half: () => exponential() * cosine() ** 2,
    // The exponent is normal (Box and Muller 1958).
    change: () =>
      basis.isForwardOnly ? Math.exp(CHANGE * Math.sqrt(2 * exponential()) * cosine()) : 1,
  };
  const draws = Array.from({ length: DRAWS }, () => project(basis, plan, weigh));
  const range = (measure: (projection: Projection) => number): Range => {
    const values = Float64Array.from(draws, measure);
    const mean = measure(expected);
    return {
      mean,
      low: Math.min(mean, percentile(values, TAIL) ?? mean),
      high: Math.max(mean, percentile(values, 1 - TAIL) ?? mean),
    };
  };
  const all = ({ training, evaluation }: Projection): TokenUsage => addTokens(training, evaluation);
  const ofKind = (kind: TokenKind): Range => range((drawn) => all(drawn)[kind]);
  const played = new Set(basis.groups.map(({ environment }) => environment));
  return {
    tokens: {
      sampled: ofKind("sampled"),
      prefill_cached: ofKind("prefill_cached"),
      prefill_uncached: ofKind("prefill_uncached"),
      trained: ofKind("trained"),
    },
    totalTokens: range((drawn) => countTokens(all(drawn))),
    evaluationTokens: range(({ evaluation }) => countTokens(evaluation)),
    costUsd: prices === null ? null : range((drawn) => costOf(all(drawn), prices)),
    hours: hoursOf(basis, plan, expected.batches),
    steps: plan.steps ?? 1,
    unplayed: plannedNames(plan).filter((name) => !played.has(name)),
  };
}

function plannedNames({ environments, evaluations }: EstimatePlan): readonly string[] {
  const evaluated = evaluations.count === 0 ? [] : evaluations.rollouts;
  return [
    ...new Set([
      ...environments.map(({ name }) => name),
      ...evaluated.map(({ environment }) => environment),
    ]),
  ];
}

interface Projection {
  readonly training: TokenUsage;
  readonly evaluation: TokenUsage;
  /** That `refill` takes for one. */
  readonly batches: number;
}

interface Weigh {
  /** With a mean of 1. */
  readonly one: () => number;
  /** With a mean of a half. */
  readonly half: () => number;
  /** The factor by which answers become longer. */
  readonly change: () => number;
}

/** What the plan comes to with weights for everything that was played. */
function project(basis: Basis, plan: EstimatePlan, weigh: Weigh): Projection {
  const change = weigh.change();
  const groups = basis.groups.map((group) => weighted(group, weigh.one));
  const prior: Prior = { trained: weigh.half(), left: weigh.half() };
  const typicalOf = (name: string): Typical => {
    const own = groups.filter(({ environment }) => environment === name);
    const { tokens, data, trainedShare } = typical(own.length === 0 ? groups : own, prior);
    return { tokens: scaled(tokens, change), data: data * change, trainedShare };
  };
  const batches = Math.min(plan.mostBatches, 1 / typical(groups, prior).trainedShare);
  const planned = sum(plan.environments.map((environment) => environment.groups));
  const most = plan.groupsInData ?? Number.POSITIVE_INFINITY;
  const factor = planned === 0 ? 0 : Math.min(batches, most / planned);
  let training = basis.serverCheck;
  for (const environment of plan.environments) {
    const { tokens, data, trainedShare } = typicalOf(environment.name);
    const rollouts = environment.groups * factor * environment.rollouts;
    const trained = rollouts * trainedShare * data;
    training = addTokens(training, scaled(tokens, rollouts));
    training = addTokens(training, { trained, prefill_uncached: trained * plan.forwardPasses });
  }
  let evaluation = NO_TOKENS;
  for (const { environment, count } of plan.evaluations.rollouts) {
    const rollouts = plan.evaluations.count * count;
    evaluation = addTokens(evaluation, scaled(typicalOf(environment).tokens, rollouts));
  }
  return { training, evaluation, batches: factor };
}

/** A group with sums over its rollouts, each with a weight. */
interface WeightedGroup {
  readonly environment: string;
  readonly weight: number;
  readonly trainedFraction: number;
  /** Of its rollouts. */
  readonly rolloutWeight: number;
  readonly tokens: TokenUsage;
  readonly data: number;
}

function weighted(group: PlayedGroup, weigh: () => number): WeightedGroup {
  const { environment, trainedFraction } = group;
  const weight = weigh();
  let [tokens, data, rolloutWeight] = [NO_TOKENS, 0, 0];
  for (const rollout of group.rollouts) {
    const own = weight * weigh();
    tokens = addTokens(tokens, scaled(rollout.tokens, own));
    data += rollout.data * own;
    rolloutWeight += own;
  }
  return { environment, trainedFraction, weight, rolloutWeight, tokens, data };
}

interface Prior {
  readonly trained: number;
  readonly left: number;
}

/** A rollout, and the share of rollouts that are trained on. */
interface Typical {
  readonly tokens: TokenUsage;
  readonly data: number;
  readonly trainedShare: number;
}

function typical(groups: readonly WeightedGroup[], prior: Prior): Typical {
  const rollouts = sum(groups.map(({ rolloutWeight }) => rolloutWeight));
  const all = groups.reduce((total, { tokens }) => addTokens(total, tokens), NO_TOKENS);
  const data = sum(groups.map((group) => group.data));
  const trained = sum(groups.map(({ trainedFraction, weight }) => trainedFraction * weight));
  const groupWeight = sum(groups.map(({ weight }) => weight));
  return {
    tokens: scaled(all, 1 / rollouts),
    data: data / rollouts,
    trainedShare: (trained + prior.trained) / (groupWeight + prior.trained + prior.left),
  };
}

function scaled(tokens: TokenUsage, factor: number): TokenUsage {
  let all = NO_TOKENS;
  for (const kind of TOKEN_KINDS) all = addTokens(all, { [kind]: tokens[kind] * factor });
  return all;
}
