/** The timeline of a step, as the dashboard draws it. Times are whole milliseconds since the start of the step, negative before it. */

import type { RolloutPosition, RolloutSet } from "./rolloutSet.ts";

export const TIME_KINDS = [
  /** In the rollout queue. */
  "queue",
  /** Attempts before the one that counted. */
  "retry",
  /** Waiting for a free session slot of the environment. */
  "place",
  /** Opening a session, until the first turn. */
  "session",
  /** The agent's program, while none of its turns is being sampled or followed by tools. */
  "agent",
  "sampling",
  "tool",
  /** Time between turns of a rollout without an agent, and from its last turn until its session is closed and its record written. */
  "other",
  /** From the last rollout until the update was sent. */
  "prepare",
  "training",
  /** Saving weights for the next rollouts. */
  "save",
  /** After the update. */
  "finish",
] as const;

export type TimeKind = (typeof TIME_KINDS)[number];

export interface TimeSpan {
  readonly kind: TimeKind;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TimelineRow extends RolloutPosition {
  readonly environment: string;
  readonly turns: number;
  /** Contiguous, in chronological order. */
  readonly spans: readonly TimeSpan[];
}

/** A part of the critical path. */
export interface PathSpan extends TimeSpan {
  /** Index of the rollout's row; null for the step itself. */
  readonly row: number | null;
}

/** A cause that slowed the step down, and the time it cost. */
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
      /** Share of its rollouts' time, excluding waits. */
      readonly share: number;
    }
  | { readonly kind: "retries"; readonly rollouts: number; readonly of: number }
  | {
      readonly kind: "slowest";
      readonly row: number;
      /** Multiple of the median of all rollouts. */
      readonly factor: number;
      readonly turns: number;
      /** Turns that spent more time in tools than in sampling. */
      readonly toolTurns: number;
      /** Median number of turns of all rollouts. */
      readonly usualTurns: number;
    }
  | { readonly kind: "tail"; readonly rollouts: number; readonly of: number }
  | { readonly kind: "paused" }
  | {
      readonly kind: "prepare" | "training" | "save";
      /** Share of the critical path. */
      readonly share: number;
      /** True when rollouts of the step started before it. */
      readonly isAhead: boolean;
    }
  /** The rollouts were sampled ahead and had all ended when the step began. */
  | { readonly kind: "ready" }
);

export interface Timeline extends RolloutSet {
  /** Start of the step, in milliseconds since the Unix epoch; null if no rollout has ended. */
  readonly startedAtMs: number | null;
  /** Start of the first shown span and end of the last. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Ordered by group, then position in the group. */
  readonly rows: readonly TimelineRow[];
  /** What the step did itself, in chronological order; empty while rollouts are in progress, and for an evaluation. */
  readonly phases: readonly TimeSpan[];
  /** The critical path to the end of the step, in chronological order; empty until it is over. */
  readonly path: readonly PathSpan[];
  /** The most expensive first. */
  readonly stalls: readonly Stall[];
}

/** A timeline in transport form: the spans of all rows concatenated, each as kind and end. */
export interface PackedTimeline extends Omit<Timeline, "rows"> {
  readonly rows: readonly (Omit<TimelineRow, "spans"> & {
    readonly fromMs: number;
    /** Number of its spans. */
    readonly spans: number;
  })[];
  /** Indexes into {@link TIME_KINDS}. */
  readonly kinds: Uint8Array;
  readonly endsMs: Int32Array;
  /** Rollouts left out because there are too many or they cannot be read. */
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

/** Start of the row's first span. */
export function startOf({ spans }: TimelineRow): number {
  return spans[0]?.fromMs ?? 0;
}

/** End of the row's last span. */
export function endOf({ spans }: TimelineRow): number {
  return spans.at(-1)?.toMs ?? 0;
}
