/**
 * Tokens, USD and hours of a whole run, from a part of it that was played.
 *
 * A model that learns comes to write like its rewarded rollouts (the policy gradient raises what was rewarded more than the rest), so
 * where only its first weights have played, rollouts weigh more the more reward they got. No one knows how fast a model learns: at the
 * end of a run it may be anywhere between its first weights and its rewarded rollouts, so over the run a quarter of the way on average.
 *
 * Ranges hold the middle 90% of what the plan comes to when the played groups and rollouts weigh more or less, each weight drawn from
 * an exponential distribution (the Bayesian bootstrap, Rubin 1981, <https://doi.org/10.1214/aos/1176345338>), when the model learns
 * faster or slower, and when its answers become longer or shorter whatever is rewarded.
 */

import { createUniform } from "../../shared/uniform.ts";
import { costOf, type Prices } from "../usage/prices.ts";
import { addTokens, countTokens, type TokenKind, type TokenUsage } from "../usage/tokenUsage.ts";
import { percentile } from "../util/stats.ts";
import type { Basis } from "./basis.ts";
import { type HoursRange, hoursOf } from "./hours.ts";
import type { EstimatePlan } from "./plan.ts";
import { plannedEnvironments, projector, type TokenProjection, type Weigh } from "./projection.ts";
import { UNSEEN } from "./trainedShare.ts";

export interface EstimateRange {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Estimate {
  /** Sums over training and evaluations. */
  readonly tokens: Readonly<Record<TokenKind, EstimateRange>>;
  /** Sum over all kinds. */
  readonly totalTokens: EstimateRange;
  /** The part of it for evaluations. */
  readonly evaluationTokens: EstimateRange;
  /** Null when not all prices are known. */
  readonly costUsd: EstimateRange | null;
  /** Null when the basis has no times. */
  readonly hours: HoursRange | null;
  /** Steps that it is for. */
  readonly steps: number;
  /** Environments of the plan that the basis has not played: they are taken to be like the others. */
  readonly unplayed: readonly string[];
}

const DRAWS = 1_000;
/** How far a model is, on average over a run, at most, from its first weights to its rewarded rollouts: it gets there evenly. */
const LEARNED = 0.5;
/** How much longer or shorter answers become on average over a run: one standard deviation, of the logarithm. */
const CHANGE = 0.25;
/** Share of the draws on each side of a range. */
const TAIL = 0.05;

/** Equal for equal arguments. */
export function estimateRun(basis: Basis, plan: EstimatePlan, prices: Prices | null): Estimate {
  const uniform = createUniform(1);
  const projectWith = projector(basis, plan);
  const expected = projectWith({
    one: () => 1,
    unseen: () => UNSEEN,
    change: () => 1,
    learned: () => (basis.isForwardOnly ? LEARNED / 2 : 0),
  });
  const exponential = (): number => -Math.log(1 - uniform());
  const cosine = (): number => Math.cos(2 * Math.PI * uniform());
  const weigh: Weigh = {
    one: exponential,
    // An exponential variable times one of the arcsine distribution has the gamma distribution of shape 1/2.
    unseen: () => exponential() * cosine() ** 2,
    learned: () => (basis.isForwardOnly ? LEARNED * uniform() : 0),
    // The exponent is normal (Box and Muller 1958).
    change: () =>
      basis.isForwardOnly ? Math.exp(CHANGE * Math.sqrt(2 * exponential()) * cosine()) : 1,
  };
  const draws = Array.from({ length: DRAWS }, () => projectWith(weigh));
  const range = (measure: (projection: TokenProjection) => number): EstimateRange => {
    const values = Float64Array.from(draws, measure);
    const mean = measure(expected);
    return {
      mean,
      low: Math.min(mean, percentile(values, TAIL) ?? mean),
      high: Math.max(mean, percentile(values, 1 - TAIL) ?? mean),
    };
  };
  const all = ({ training, evaluation }: TokenProjection): TokenUsage =>
    addTokens(training, evaluation);
  const ofKind = (kind: TokenKind): EstimateRange => range((drawn) => all(drawn)[kind]);
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
    unplayed: plannedEnvironments(plan).filter((name) => !played.has(name)),
  };
}
