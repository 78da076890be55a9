/** What the end of a step waited for. */

import type { PathSpan, TimelineRow, TimeSpan } from "../../shared/timeline.ts";

/** A slot that is released is taken within this time. */
const HANDOVER_MS = 250;

/**
 * The chain of spans that leads to the end of the step, in the order of time: its phases, before them the rollout that ended last, and
 * where that one waited for a slot or a session the rollout that released it, and so on. Begins with `fromMs`.
 */
export function criticalPath(
  rows: readonly TimelineRow[],
  phases: readonly TimeSpan[],
  fromMs: number,
): readonly PathSpan[] {
  const path: PathSpan[] = phases.map((span) => ({ ...span, row: null })).toReversed();
  let at = lastOf(rows, [...rows.keys()]);
  while (at !== null) at = addRow(path, rows, at, fromMs);
  return path.toReversed();
}

interface Place {
  readonly row: number;
  readonly untilMs: number;
}

/** Adds the spans of a row from its end to its beginning; returns the row that it waited for. */
function addRow(
  path: PathSpan[],
  rows: readonly TimelineRow[],
  { row, untilMs }: Place,
  fromMs: number,
): Place | null {
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

/** The rollout that ended as the wait did. */
function releasedBy(rows: readonly TimelineRow[], row: number, wait: TimeSpan): Place | null {
  const environment = rows[row]?.environment;
  const ended = [...rows.keys()].filter((other) => {
    const endMs = endOf(rows[other]);
    const isOfPlace = wait.kind === "queue" || rows[other]?.environment === environment;
    return other !== row && isOfPlace && endMs <= wait.toMs && endMs >= wait.toMs - HANDOVER_MS;
  });
  return lastOf(rows, ended);
}

function lastOf(rows: readonly TimelineRow[], among: readonly number[]): Place | null {
  const ends = among.map((row) => ({ row, untilMs: endOf(rows[row]) }));
  return ends.reduce<Place | null>(
    (last, own) => (last === null || own.untilMs > last.untilMs ? own : last),
    null,
  );
}

function endOf(row: TimelineRow | undefined): number {
  return row?.spans.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY;
}
