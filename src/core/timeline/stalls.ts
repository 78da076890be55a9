/** Finds what made a step slow: waits, slow rollouts, and phases during which nothing else happened. */

import { groupBy } from "../../shared/groupBy.ts";
import { sum } from "../../shared/mean.ts";
import {
  endOf,
  type PathSpan,
  type Stall,
  startOf,
  type TimeKind,
  type TimelineRow,
} from "../../shared/timeline.ts";
import type { StepPhases } from "../runFolder/rollouts/stepPhases.ts";
import { percentile } from "../util/stats.ts";

export interface StallLimits {
  /** Maximum number of concurrent rollouts; null if unknown. */
  readonly maxConcurrentRollouts: number | null;
}

export interface StallFacts {
  readonly rows: readonly TimelineRow[];
  /** For each row, the number of turns that spent more time in tools than in sampling. */
  readonly toolTurns: readonly number[];
  readonly phases: StepPhases | null;
  readonly path: readonly PathSpan[];
  readonly limits: StallLimits;
  readonly isOver: boolean;
}

/** Minimum duration of a stall, regardless of the step's length. */
const LEAST_MS = 1_000;
/** Minimum share of the step's time. */
const LEAST_SHARE = 0.05;
/** Activities of the environment that are slow if they take a larger share of the rollouts' time. */
const SLOW = [
  { kind: "sessions", time: "session", share: 0.25 },
  { kind: "tools", time: "tool", share: 0.5 },
] as const;
/** A rollout is slow if it takes this many times the median. */
const SLOW_FACTOR = 2;
/** Share of the rollouts that counts as the tail of a step. */
const TAIL_SHARE = 0.1;
/** Phases with a larger share of the step are reported. */
const LONG_PHASE = { prepare: 0.1, training: 0.4, save: 0.15 } as const;
const MOST = 6;

/** The most expensive stalls first. */
export function stallsOf(facts: StallFacts): readonly Stall[] {
  const { phases, rows } = facts;
  const stepMs = phases?.endedMs ?? Math.max(0, ...rows.map((row) => endOf(row) - startOf(row)));
  const found = [
    ...waits(facts),
    ...slowEnvironments(rows),
    ...retries(rows),
    ...(facts.isOver ? [...slowest(facts), ...tail(facts)] : []),
    ...(phases === null ? [] : ofPhases(facts, phases)),
  ];
  return found
    .filter(
      ({ kind, costMs }) => kind === "ready" || costMs >= Math.max(LEAST_MS, LEAST_SHARE * stepMs),
    )
    .sort((a, b) => b.costMs - a.costMs)
    .slice(0, MOST);
}

/** Covers only rollouts that waited. */
function waits({ rows, limits, path }: StallFacts): readonly Stall[] {
  const onPath = (kind: TimeKind): number =>
    sum(path.filter((span) => span.kind === kind).map(lengthOf));
  const queued = rows.map((row) => timeOf(row, "queue")).filter((ms) => ms >= LEAST_MS);
  const slots: readonly Stall[] =
    queued.length === 0
      ? []
      : [
          {
            kind: "slots",
            rollouts: queued.length,
            of: rows.length,
            medianMs: median(queued),
            limit: limits.maxConcurrentRollouts,
            costMs: Math.max(median(queued), onPath("queue")),
          },
        ];
  const places = byEnvironment(rows).flatMap(([environment, own]): readonly Stall[] => {
    const waited = own.map((row) => timeOf(row, "place")).filter((ms) => ms >= LEAST_MS);
    if (waited.length === 0) return [];
    const medianMs = median(waited);
    const costMs = Math.max(medianMs, onPath("place"));
    return [
      { kind: "places", rollouts: waited.length, of: own.length, medianMs, environment, costMs },
    ];
  });
  return [...slots, ...places];
}

function slowEnvironments(rows: readonly TimelineRow[]): readonly Stall[] {
  return byEnvironment(rows).flatMap(([environment, own]) =>
    SLOW.flatMap(({ kind, time, share: least }): readonly Stall[] => {
      const taken = own.map((row) => timeOf(row, time));
      const share = sum(taken) / Math.max(1, sum(own.map(playedMs)));
      if (share < least) return [];
      const medianMs = median(taken);
      return [{ kind, environment, medianMs, share, costMs: medianMs }];
    }),
  );
}

function retries(rows: readonly TimelineRow[]): readonly Stall[] {
  const lost = rows.map((row) => timeOf(row, "retry")).filter((ms) => ms >= LEAST_MS);
  if (lost.length === 0) return [];
  return [{ kind: "retries", rollouts: lost.length, of: rows.length, costMs: Math.max(...lost) }];
}

/** The longest rollout, if it is on the critical path. */
function slowest({ rows, toolTurns, path }: StallFacts): readonly Stall[] {
  const usualMs = median(rows.map(playedMs));
  const usualTurns = median(rows.map(({ turns }) => turns));
  const onPath = [...new Set(path.flatMap(({ row }) => row ?? []))];
  return onPath
    .flatMap((row): readonly Stall[] => {
      const own = rows[row];
      if (own === undefined || usualMs === 0) return [];
      const factor = playedMs(own) / usualMs;
      if (factor < SLOW_FACTOR) return [];
      const costMs = playedMs(own) - usualMs;
      const { turns } = own;
      return [
        { kind: "slowest", row, factor, turns, toolTurns: toolTurns[row] ?? 0, usualTurns, costMs },
      ];
    })
    .sort((a, b) => b.costMs - a.costMs)
    .slice(0, 1);
}

/** The time during which only a few rollouts were still in progress. */
function tail({ rows }: StallFacts): readonly Stall[] {
  const rollouts = Math.max(1, Math.floor(TAIL_SHARE * rows.length));
  if (rows.length < 4) return [];
  const ends = rows.map(endOf).sort((a, b) => b - a);
  const costMs = (ends[0] ?? 0) - (ends[rollouts] ?? 0);
  return [{ kind: "tail", rollouts, of: rows.length, costMs }];
}

function ofPhases({ rows, path }: StallFacts, phases: StepPhases): readonly Stall[] {
  const { pausedMs, submittedMs, takenMs } = phases;
  const isAhead = rows.some((row) => startOf(row) < 0);
  const stalls: Stall[] = pausedMs > 0 ? [{ kind: "paused", costMs: pausedMs }] : [];
  for (const kind of ["prepare", "training", "save"] as const) {
    const costMs = sum(path.filter((span) => span.kind === kind).map(lengthOf));
    // The share is relative to the critical path as displayed.
    const share = costMs / Math.max(1, sum(path.map(lengthOf)));
    if (share >= LONG_PHASE[kind]) stalls.push({ kind, share, isAhead, costMs });
  }
  const wasAhead = rows.length > 0 && rows.every((row) => startOf(row) < 0 && endOf(row) <= 0);
  if (wasAhead && submittedMs !== null && takenMs < LEAST_MS)
    stalls.push({ kind: "ready", costMs: 0 });
  return stalls;
}

function byEnvironment(rows: readonly TimelineRow[]) {
  return [...groupBy(rows, ({ environment }) => environment)];
}

function timeOf({ spans }: TimelineRow, kind: TimeKind): number {
  return sum(spans.filter((span) => span.kind === kind).map(lengthOf));
}

/** Duration without waits. */
function playedMs(row: TimelineRow): number {
  return endOf(row) - startOf(row) - timeOf(row, "queue") - timeOf(row, "place");
}

function lengthOf({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number {
  return toMs - fromMs;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5) ?? 0;
}
