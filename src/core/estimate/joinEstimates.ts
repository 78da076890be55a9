/** Joins the estimates of stages, or of the runs of a sweep, into one for all of them. */

import { sum } from "../../shared/mean.ts";
import type { StageBudgets } from "../config/stages.ts";
import type { Estimate, EstimateRange } from "./estimate.ts";
import { type EstimatePlan, planWithoutRollouts } from "./plan.ts";
import type { EstimateParts, EstimateReport } from "./report.ts";

/** Adds the lower and the upper ends of ranges, so the joined range covers more than 90%. */
export function joinEstimates(parts: EstimateParts, budgets: StageBudgets): EstimateReport {
  const reports = parts.estimates.map(({ report }) => report);
  return {
    model: reports[0]?.model ?? "",
    estimate: joinedEstimate(reports.map(({ estimate }) => estimate)),
    plan: joinedPlan(reports.map(({ plan }) => plan)),
    prices: reports.find(({ prices }) => prices !== null)?.prices ?? null,
    restsOn: joinedBasis(reports.map(({ restsOn }) => restsOn)),
    parts,
    budgets,
  };
}

function joinedEstimate(estimates: readonly Estimate[]): Estimate {
  const of = (range: (estimate: Estimate) => EstimateRange): EstimateRange => {
    const ranges = estimates.map(range);
    const end = (name: keyof EstimateRange): number => sum(ranges.map((own) => own[name]));
    return { mean: end("mean"), low: end("low"), high: end("high") };
  };
  const isPriced = estimates.every(({ costUsd }) => costUsd !== null);
  const hours = estimates.flatMap((each) => each.hours ?? []);
  return {
    tokens: {
      sampled: of(({ tokens }) => tokens.sampled),
      prefill_cached: of(({ tokens }) => tokens.prefill_cached),
      prefill_uncached: of(({ tokens }) => tokens.prefill_uncached),
      trained: of(({ tokens }) => tokens.trained),
    },
    totalTokens: of(({ totalTokens }) => totalTokens),
    evaluationTokens: of(({ evaluationTokens }) => evaluationTokens),
    costUsd: isPriced ? of(({ costUsd }) => costUsd ?? { mean: 0, low: 0, high: 0 }) : null,
    // Only parts with known times.
    hours:
      hours.length === 0
        ? null
        : { low: sum(hours.map(({ low }) => low)), high: sum(hours.map(({ high }) => high)) },
    steps: sum(estimates.map(({ steps }) => steps)),
    unplayed: [...new Set(estimates.flatMap(({ unplayed }) => unplayed))],
  };
}

function joinedPlan(plans: readonly EstimatePlan[]): EstimatePlan {
  const steps = plans.map((plan) => plan.steps);
  const known = steps.filter((own) => own !== null);
  const all = planWithoutRollouts(known.length === steps.length ? sum(known) : null);
  const count = sum(plans.map(({ evaluations }) => evaluations.count));
  return {
    ...all,
    environments: plans.flatMap(({ environments }) => environments),
    evaluations: { ...all.evaluations, count },
  };
}

/** The rollouts of the first part that is estimated from any. */
function joinedBasis(bases: readonly EstimateReport["restsOn"][]): EstimateReport["restsOn"] {
  const played = bases.find(({ examples }) => examples === undefined);
  const examples = sum(bases.map((basis) => basis.examples ?? 0));
  return played ?? { run: null, steps: 0, groups: 0, rollouts: 0, examples };
}
