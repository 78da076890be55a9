/**
 * Estimates how long a run takes from the times of steps, which may have had fewer rollouts. An evaluation runs in parallel with
 * the rollouts of the next step, and the step's update waits for both.
 */

import { sum } from "../../shared/mean.ts";
import { percentile } from "../util/stats.ts";
import type { Basis, StepTime } from "./basis.ts";
import type { EstimatePlan } from "./plan.ts";

/** In hours. `low` assumes that parallel requests do not slow each other, `high` that time is proportional to rollouts. */
export interface HoursRange {
  readonly low: number;
  readonly high: number;
}

/** A gradient takes about twice as many operations as its forward pass. */
const PASSES_OF_UPDATE = 3;
/** Quartiles of the measured steps. */
const QUICK = 0.25;
const SLOW = 0.75;

/** `batches` is the number of batches per step due to `refill`. Null if the basis has no times. */
export function hoursOf(basis: Basis, plan: EstimatePlan, batches: number): HoursRange | null {
  const steps = plan.steps ?? 1;
  const times = basis.times.filter(({ rollouts }) => rollouts > 0);
  if (times.length === 0) return null;
  const rollouts = sum(plan.environments.map((each) => each.groups * each.rollouts)) * batches;
  // An evaluation has no steps.
  const perStep = steps === 0 ? 0 : rollouts / steps;
  const perEvaluation = sum(plan.evaluations.rollouts.map(({ count }) => count));
  const { count, afterLastStep } = plan.evaluations;
  const parallelCount = count - afterLastStep;
  const quick = speed(times, perStep, plan, QUICK);
  const slow = speed(times, perStep, plan, SLOW);
  const passes = basis.isForwardOnly ? PASSES_OF_UPDATE : 1;
  const rollout = quick.secondsAtOnce(perStep + perEvaluation);
  const low =
    (steps - parallelCount) * stepSeconds(quick.atOnce, plan) +
    parallelCount * stepSeconds({ ...quick.atOnce, rollout }, plan) +
    afterLastStep * quick.secondsAtOnce(perEvaluation);
  const high =
    steps * stepSeconds({ ...slow.inTurn, train: slow.inTurn.train * passes }, plan) +
    count * perEvaluation * slow.secondsOfRollout;
  return { low: low / 3600, high: Math.max(low, high) / 3600 };
}

interface Seconds {
  readonly rollout: number;
  readonly train: number;
  readonly other: number;
}

function stepSeconds({ rollout, train, other }: Seconds, { isAhead }: EstimatePlan): number {
  return other + (isAhead ? Math.max(rollout, train) : rollout + train);
}

function speed(times: readonly StepTime[], perStep: number, plan: EstimatePlan, share: number) {
  const of = (seconds: (time: StepTime) => number): number =>
    percentile(times.map(seconds), share) ?? 0;
  const other = of(({ totalS, rolloutS, trainS }) => Math.max(0, totalS - rolloutS - trainS));
  const train = of(({ trainS }) => trainS);
  const secondsOfWave = of(({ rolloutS, rollouts }) => rolloutS / waves(rollouts, plan));
  const secondsOfRollout = of(({ rolloutS, rollouts }) => rolloutS / rollouts);
  const trainOfRollout = of(({ trainS, rollouts }) => trainS / rollouts);
  const inTurn = [secondsOfRollout * perStep, trainOfRollout * perStep] as const;
  const atOnce = secondsOfWave * waves(perStep, plan);
  // With fewer rollouts than measured, the proportional time is shorter.
  const secondsAtOnce = (rollouts: number): number =>
    Math.min(secondsOfWave * waves(rollouts, plan), secondsOfRollout * rollouts);
  return {
    secondsOfRollout,
    secondsAtOnce,
    atOnce: { rollout: secondsAtOnce(perStep), train: Math.min(train, inTurn[1]), other },
    inTurn: { rollout: Math.max(atOnce, inTurn[0]), train: Math.max(train, inTurn[1]), other },
  };
}

/** How often the limit of concurrent rollouts is filled. */
function waves(rollouts: number, { atOnce }: EstimatePlan): number {
  return Math.max(1, rollouts / atOnce);
}
