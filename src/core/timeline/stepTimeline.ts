/** The timeline of a step or evaluation from what its run folder holds. */

import type { RolloutSet } from "../../shared/rolloutSet.ts";
import type { Timeline, TimelineRow, TimeSpan } from "../../shared/timeline.ts";
import type { StepPhases } from "../runFolder/rollouts/stepPhases.ts";
import { criticalPath } from "./criticalPath.ts";
import type { RolloutTimes } from "./rolloutSpans.ts";
import { type StallLimits, stallsOf } from "./stalls.ts";

/** Seconds of the metrics row of a step. */
export interface MetricTimes {
  readonly rolloutS: number;
  /** With the save of the sampler; null when nothing was trained. */
  readonly trainS: number | null;
  readonly samplerS: number | null;
  readonly totalS: number;
}

export interface TimelineFacts extends RolloutSet {
  /** Those that have ended, by group and position in it. */
  readonly rollouts: readonly RolloutTimes[];
  /** Null until the step is over, and in folders of older versions. */
  readonly phases: StepPhases | null;
  /** Null until the step is over. */
  readonly metrics: MetricTimes | null;
  /** True for a set whose rollouts have all ended. */
  readonly isOver: boolean;
  readonly limits: StallLimits;
}

export function stepTimeline(facts: TimelineFacts): Timeline {
  const { rollouts, source, step, isOver } = facts;
  const known = facts.phases ?? estimatedPhases(rollouts, facts.metrics);
  const startedAtMs = known?.startedAtMs ?? firstMs(rollouts);
  const rows = rollouts.map((own): TimelineRow => {
    const { group, rollout, environment, turns } = own;
    const spans = own.spans.map(({ kind, fromMs, toMs }) => ({
      kind,
      fromMs: fromMs - (startedAtMs ?? 0),
      toMs: toMs - (startedAtMs ?? 0),
    }));
    return { group, rollout, environment, turns, spans };
  });
  const phases = known === null ? [] : phaseSpans(known);
  const ends = [...rows.flatMap(({ spans }) => spans.slice(-1)), ...phases.slice(-1)];
  const fromMs = least(rows.flatMap(({ spans }) => spans.slice(0, 1)).map((span) => span.fromMs));
  const path = isOver ? criticalPath(rows, phases, known === null ? fromMs : 0) : [];
  const toolTurns = rollouts.map((own) => own.toolTurns);
  return {
    source,
    step,
    startedAtMs,
    rows,
    phases,
    path,
    fromMs: Math.min(0, fromMs),
    toMs: Math.max(1, ...ends.map(({ toMs }) => toMs)),
    stalls: stallsOf({ rows, toolTurns, phases: known, path, limits: facts.limits, isOver }),
    isEstimated: facts.phases === null && known !== null,
  };
}

function phaseSpans({ takenMs, submittedMs, trainedMs, savedMs, endedMs }: StepPhases): TimeSpan[] {
  const spans: TimeSpan[] = [];
  let fromMs = takenMs;
  const until = (kind: TimeSpan["kind"], ms: number | null): void => {
    if (ms === null || ms <= fromMs) return;
    spans.push({ kind, fromMs, toMs: ms });
    fromMs = ms;
  };
  until("prepare", submittedMs);
  until("training", trainedMs);
  until("save", savedMs);
  until("finish", endedMs);
  return spans;
}

/** The step begins so long before its last rollout ended as it waited for rollouts. */
function estimatedPhases(
  rollouts: readonly RolloutTimes[],
  metrics: MetricTimes | null,
): StepPhases | null {
  const lastMs = Math.max(...rollouts.map(({ spans }) => spans.at(-1)?.toMs ?? 0));
  if (metrics === null || !Number.isFinite(lastMs)) return null;
  const { rolloutS, samplerS, totalS, trainS } = metrics;
  const ms = (seconds: number): number => Math.round(1000 * seconds);
  const savedMs = trainS === null ? null : ms(rolloutS + trainS);
  return {
    startedAtMs: lastMs - ms(rolloutS),
    takenMs: ms(rolloutS),
    pausedMs: 0,
    submittedMs: trainS === null ? null : ms(rolloutS),
    trainedMs: savedMs === null ? null : savedMs - ms(samplerS ?? 0),
    savedMs,
    endedMs: Math.max(ms(totalS), savedMs ?? 0),
  };
}

function firstMs(rollouts: readonly RolloutTimes[]): number | null {
  const first = least(rollouts.flatMap(({ spans }) => spans[0]?.fromMs ?? []));
  return Number.isFinite(first) && rollouts.length > 0 ? first : null;
}

function least(values: readonly number[]): number {
  return values.reduce((low, value) => Math.min(low, value), values[0] ?? 0);
}
