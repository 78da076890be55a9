/** What a gate reports to its listeners: when its environment becomes unavailable or available again, and changes of its limit. */

import type { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";

/** Why no session can be opened at the moment. */
export interface Unavailability {
  /** `failing`: attempts fail because of the environment. `full`: the environment refuses even a single session. */
  readonly why: "failing" | "full";
  /** On the monotonic clock. */
  readonly sinceMs: number;
  readonly fault: AppError;
}

export type GateEvent =
  | { readonly kind: "unavailable" | "available"; readonly unavailability: Unavailability }
  /** Refusals have lowered, or their absence has raised, the number of sessions that are requested at once. */
  | { readonly kind: "limit"; readonly limit: number };

type Listener = (event: GateEvent) => void;

/** Shortest time between two reports of a changed limit. */
const LIMIT_REPORT_INTERVAL_MS = 60_000;

export class GateEvents {
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  #unavailability: Unavailability | null = null;
  #limit: number;
  #limitReportedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Calls back at events until the returned function is called. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sets the limit without a report. */
  setLimit(limit: number): void {
    this.#limit = limit;
  }

  /** Reports what differs from the last report. */
  update(now: Unavailability | null, limit: number): void {
    const before = this.#unavailability;
    this.#unavailability = now;
    if (before?.why !== now?.why) {
      if (before !== null) this.#emit({ kind: "available", unavailability: before });
      if (now !== null) this.#emit({ kind: "unavailable", unavailability: now });
    }
    const nowMs = this.#clock.monotonic();
    const isRecent = nowMs - this.#limitReportedMs < LIMIT_REPORT_INTERVAL_MS;
    if (limit === this.#limit || isRecent) return;
    this.#limit = limit;
    this.#limitReportedMs = nowMs;
    this.#emit({ kind: "limit", limit });
  }

  #emit(event: GateEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
