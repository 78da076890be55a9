/** The timeline of a step, as the dashboard draws it. Times are whole milliseconds since the step began; before that they are negative. */

import type { RolloutSet } from "./rolloutSet.ts";

export const TIME_KINDS = [
  /** In the queue of rollouts. */
  "queue",
  /** Attempts before the one that counted. */
  "retry",
  /** For a place among the sessions of the environment. */
  "place",
  /** A session that opens, until its first turn. */
  "session",
  /** The program of an agent, while no turn of it is sampled or followed by tools. */
  "agent",
  "sampling",
  "tool",
  /** Time of a rollout without an agent between its turns, and until its session was closed and its record written. */
  "other",
  /** From the last rollout until the update was sent. */
  "prepare",
  "training",
  /** Saving weights for the next rollouts. */
  "save",
  /** What comes after the update. */
  "finish",
] as const;

export type TimeKind = (typeof TIME_KINDS)[number];

export interface TimeSpan {
  readonly kind: TimeKind;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TimelineRow {
  readonly group: number;
  readonly rollout: number;
  readonly environment: string;
  readonly turns: number;
  /** Adjoining, in the order of time. */
  readonly spans: readonly TimeSpan[];
}

/** A part of the critical path. */
export interface PathSpan extends TimeSpan {
  /** Position of the rollout in the rows; null for what the step did itself. */
  readonly row: number | null;
}

/** What made a step slow, with the time that it took from the step. */
export type Stall = { readonly costMs: number } & (
  | {
      readonly kind: "slots";
      readonly rollouts: number;
      readonly of: number;
      readonly medianMs: number;
      readonly limit: number | null;
    }
  | {
      readonly kind: "places";
      readonly rollouts: number;
      readonly of: number;
      readonly medianMs: number;
      readonly environment: string;
    }
  | {
      readonly kind: "sessions" | "tools";
      readonly environment: string;
      /** Median over rollouts. */
      readonly medianMs: number;
      /** Share of the time of its rollouts, excluding waits. */
      readonly share: number;
    }
  | { readonly kind: "retries"; readonly rollouts: number; readonly of: number }
  | {
      readonly kind: "slowest";
      readonly row: number;
      /** How many times the median of all rollouts. */
      readonly factor: number;
      readonly turns: number;
      /** Turns that spent more time in tools than in sampling. */
      readonly toolTurns: number;
      /** Median of the turns of all rollouts. */
      readonly usualTurns: number;
    }
  | { readonly kind: "tail"; readonly rollouts: number; readonly of: number }
  | { readonly kind: "paused" }
  | {
      readonly kind: "prepare" | "training" | "save";
      /** Share of the critical path. */
      readonly share: number;
      /** True when rollouts of the step began before it. */
      readonly isAhead: boolean;
    }
  /** The rollouts were sampled ahead, and all had ended when the step began. */
  | { readonly kind: "ready" }
);

export interface Timeline extends RolloutSet {
  /** The start of the step, since the Unix epoch; null if no rollout has ended. */
  readonly startedAtMs: number | null;
  /** `fromMs` belongs to the first that is shown, `toMs` to the last. */
  readonly fromMs: number;
  readonly toMs: number;
  /** By group, and position in it. */
  readonly rows: readonly TimelineRow[];
  /** What the step did itself, in the order of time; empty while its rollouts are played, and for an evaluation. */
  readonly phases: readonly TimeSpan[];
  /** What the end of the step waited for, in the order of time; empty until it is over. */
  readonly path: readonly PathSpan[];
  /** The most expensive first. */
  readonly stalls: readonly Stall[];
}

/** A timeline as it is sent: the spans of all rows one after the other, each as its kind and its end. */
export interface PackedTimeline extends Omit<Timeline, "rows"> {
  readonly rows: readonly (Omit<TimelineRow, "spans"> & {
    readonly fromMs: number;
    /** Number of its spans. */
    readonly spans: number;
  })[];
  /** Positions in {@link TIME_KINDS}. */
  readonly kinds: Uint8Array;
  readonly endsMs: Int32Array;
  /** Rollouts that are not shown, because there are too many or because they cannot be read. */
  readonly omitted: number;
}

export function packTimeline(timeline: Timeline, omitted: number): PackedTimeline {
  const spans = timeline.rows.flatMap((row) => row.spans);
  return {
    ...timeline,
    omitted,
    rows: timeline.rows.map((row) => ({
      ...row,
      fromMs: row.spans[0]?.fromMs ?? 0,
      spans: row.spans.length,
    })),
    kinds: Uint8Array.from(spans, ({ kind }) => TIME_KINDS.indexOf(kind)),
    endsMs: Int32Array.from(spans, ({ toMs }) => toMs),
  };
}

export function unpackTimeline({ kinds, endsMs, rows, ...rest }: PackedTimeline): Timeline {
  let at = 0;
  return {
    ...rest,
    rows: rows.map(({ fromMs, spans: count, ...row }) => {
      let startMs = fromMs;
      const spans = Array.from({ length: count }, (): TimeSpan => {
        const span = {
          kind: TIME_KINDS[kinds[at] ?? 0] ?? "other",
          fromMs: startMs,
          toMs: endsMs[at] ?? startMs,
        };
        startMs = span.toMs;
        at += 1;
        return span;
      });
      return { ...row, spans };
    }),
  };
}

/** The start of the first span. */
export function startOf({ spans }: TimelineRow): number {
  return spans[0]?.fromMs ?? 0;
}

/** The end of the last span. */
export function endOf({ spans }: TimelineRow): number {
  return spans.at(-1)?.toMs ?? 0;
}
