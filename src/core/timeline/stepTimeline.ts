/** Builds the timeline of a step or evaluation from the data in its run folder. */

import type { RolloutSet } from "../../shared/rolloutSet.ts";
import type { PathSpan, Timeline, TimelineRow, TimeSpan } from "../../shared/timeline.ts";
import type { StepPhases } from "../runFolder/rollouts/stepPhases.ts";
import type { RolloutTimes } from "./rolloutSpans.ts";
import { type StallLimits, stallsOf } from "./stalls.ts";

export interface TimelineFacts extends RolloutSet {
  /** Rollouts that have ended, sorted by group and position. */
  readonly rollouts: readonly RolloutTimes[];
  /** Null until the step is over. */
  readonly phases: StepPhases | null;
  /** True if all rollouts of the set have ended. */
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

/** A released slot is taken within this time. */
const HANDOVER_MS = 250;

/**
 * The chain of spans that leads to the end of the step, in order of time: the phases, before them the rollout that ended last,
 * and if that one waited for a slot or a session, the rollout that released it, and so on. Begins at `fromMs`.
 */
function criticalPath(
  rows: readonly TimelineRow[],
  phases: readonly TimeSpan[],
  fromMs: number,
): readonly PathSpan[] {
  const path: PathSpan[] = phases.map((span) => ({ ...span, row: null })).toReversed();
  let at = lastOf(rows, [...rows.keys()]);
  while (at !== null) at = addRow(path, rows, at, fromMs);
  return path.toReversed();
}

interface RowEnd {
  readonly row: number;
  readonly untilMs: number;
}

/** Adds the spans of a row from its end to its beginning. Returns the row that it waited for. */
function addRow(
  path: PathSpan[],
  rows: readonly TimelineRow[],
  { row, untilMs }: RowEnd,
  fromMs: number,
): RowEnd | null {
  const own = rows[row];
  for (const span of (own?.spans ?? []).toReversed()) {
    const from = Math.max(span.fromMs, fromMs);
    const to = Math.min(span.toMs, untilMs);
    if (to <= from) continue;
    const before =
      span.kind === "queue" || span.kind === "place"
        ? releasedBy(rows, row, { ...span, toMs: to })
        : null;
    if (before !== null && before.untilMs > from) {
      if (to > before.untilMs) path.push({ ...span, fromMs: before.untilMs, toMs: to, row });
      return before;
    }
    path.push({ ...span, fromMs: from, toMs: to, row });
  }
  return null;
}

/** The rollout that ended when the wait ended, and held what was waited for. Rollouts that were still waiting themselves do not count. */
function releasedBy(rows: readonly TimelineRow[], row: number, wait: TimeSpan): RowEnd | null {
  const environment = rows[row]?.environment;
  const ended = [...rows.keys()].filter((other) => {
    const endMs = endOf(rows[other]);
    const last = rows[other]?.spans.at(-1)?.kind;
    const hadOne = last !== "queue" && last !== wait.kind;
    const isEligible = wait.kind === "queue" || rows[other]?.environment === environment;
    return hadOne && isEligible && endMs <= wait.toMs && endMs >= wait.toMs - HANDOVER_MS;
  });
  return lastOf(rows, ended);
}

function lastOf(rows: readonly TimelineRow[], among: readonly number[]): RowEnd | null {
  const ends = among.map((row) => ({ row, untilMs: endOf(rows[row]) }));
  return ends.reduce<RowEnd | null>(
    (last, own) => (last === null || own.untilMs > last.untilMs ? own : last),
    null,
  );
}

function endOf(row: TimelineRow | undefined): number {
  return row?.spans.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY;
}
