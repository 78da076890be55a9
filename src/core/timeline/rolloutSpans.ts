/** How one rollout spent its time. */

import type { TimeKind, TimeSpan } from "../../shared/timeline.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

/** Times of a rollout. Times of spans are since the Unix epoch. */
export interface RolloutTimes {
  readonly group: number;
  readonly rollout: number;
  readonly environment: string;
  readonly turns: number;
  readonly toolTurns: number;
  readonly spans: readonly TimeSpan[];
}

export function rolloutTimes(record: RolloutRecord): RolloutTimes {
  const { group, rollout, environment, turns } = record;
  const toolTurns = turns.filter(
    ({ samplingMs, durationMs }) => durationMs > 2 * samplingMs,
  ).length;
  return { group, rollout, environment, turns: turns.length, toolTurns, spans: spansOf(record) };
}

function spansOf({ startedAtMs, durationMs, beginning, turns, agent }: RolloutRecord): TimeSpan[] {
  const between = agent === undefined ? "other" : "agent";
  const { queuedMs, retriedMs, waitedMs, openedMs } = beginning;
  const spans = new Spans(startedAtMs - queuedMs);
  spans.until("queue", startedAtMs);
  spans.until("retry", startedAtMs + retriedMs);
  spans.until("place", startedAtMs + retriedMs + waitedMs);
  spans.until("session", startedAtMs + retriedMs + waitedMs + openedMs);
  for (const [i, turn] of turns.entries()) {
    spans.until(i === 0 && agent === undefined ? "session" : between, turn.startedAtMs);
    spans.until("sampling", turn.startedAtMs + turn.samplingMs);
    spans.until("tool", turn.startedAtMs + turn.durationMs);
  }
  spans.until(between, startedAtMs + durationMs);
  return spans.all;
}

/** Consecutive spans without gaps or empty spans. */
class Spans {
  readonly all: TimeSpan[] = [];
  #atMs: number;

  constructor(fromMs: number) {
    this.#atMs = Math.round(fromMs);
  }

  until(kind: TimeKind, ms: number): void {
    const toMs = Math.round(ms);
    if (toMs <= this.#atMs) return;
    this.all.push({ kind, fromMs: this.#atMs, toMs });
    this.#atMs = toMs;
  }
}
