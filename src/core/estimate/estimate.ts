/**
 * Estimates tokens, USD and hours of a whole run from rollouts of a part of it.
 *
 * A learning model becomes similar to its rewarded rollouts (the policy gradient increases their probability). If all rollouts are from
 * the initial weights, rollouts with more reward therefore get more weight. How fast a model learns is unknown. At the end of a run, it
 * may be anywhere between the initial weights and its rewarded rollouts. The average over the run is thus a quarter of the way.
 *
 * Ranges are the middle 90% of the results with random weights for groups and rollouts, each drawn from an exponential distribution
 * (the Bayesian bootstrap, Rubin 1981, <https://doi.org/10.1214/aos/1176345338>), with different learning speeds, and with answers that
 * become longer or shorter independently of rewards.
 */

import { createUniform } from "../../shared/uniform.ts";
import { costOf, type Prices } from "../usage/prices.ts";
import { addTokens, countTokens, type TokenKind, type TokenUsage } from "../usage/tokenUsage.ts";
import { percentile } from "../util/stats.ts";
import type { Basis } from "./basis.ts";
import { type HoursRange, hoursOf } from "./hours.ts";
import type { EstimatePlan } from "./plan.ts";
import { projector, type TokenProjection, unplayedEnvironments, type Weigh } from "./projection.ts";
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
  /** Part of the total for evaluations. */
  readonly evaluationTokens: EstimateRange;
  /** Null if not all prices are known. */
  readonly costUsd: EstimateRange | null;
  /** Null if the basis has no times. */
  readonly hours: HoursRange | null;
  /** Number of estimated steps. */
  readonly steps: number;
  /** Planned environments without rollouts in the basis. They are assumed to be like the others. */
  readonly unplayed: readonly string[];
}

const DRAWS = 1_000;
/** Maximum average progress over a run from the initial weights to the rewarded rollouts, assuming steady progress. */
const LEARNED = 0.5;
/** Average change of answer lengths over a run: one standard deviation of the logarithm. */
const CHANGE = 0.25;
/** Share of the draws outside each end of a range. */
const TAIL = 0.05;

/** Deterministic: the same arguments give the same estimate. */
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
    unplayed: unplayedEnvironments(basis, plan),
  };
}
