/** The timeline of a step or evaluation from what its run folder holds. */

import type { RolloutSet } from "../../shared/rolloutSet.ts";
import type { Timeline, TimelineRow, TimeSpan } from "../../shared/timeline.ts";
import type { StepPhases } from "../runFolder/rollouts/stepPhases.ts";
import { criticalPath } from "./criticalPath.ts";
import type { RolloutTimes } from "./rolloutSpans.ts";
import { type StallLimits, stallsOf } from "./stalls.ts";

export interface TimelineFacts extends RolloutSet {
  /** Those that have ended, by group and position in it. */
  readonly rollouts: readonly RolloutTimes[];
  /** Null until the step is over. */
  readonly phases: StepPhases | null;
  /** True for a set whose rollouts have all ended. */
  readonly isOver: boolean;
  readonly limits: StallLimits;
}

export function stepTimeline(facts: TimelineFacts): Timeline {
  const { rollouts, source, step, isOver, phases: known } = facts;
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

function firstMs(rollouts: readonly RolloutTimes[]): number | null {
  const first = least(rollouts.flatMap(({ spans }) => spans[0]?.fromMs ?? []));
  return Number.isFinite(first) && rollouts.length > 0 ? first : null;
}

function least(values: readonly number[]): number {
  return values.reduce((low, value) => Math.min(low, value), values[0] ?? 0);
}
