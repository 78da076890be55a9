/** Open sessions by id; idle ones are ended. */

import type { Clock } from "../../../core/ports.ts";
import { sleepUntilAborted } from "../../../core/util/wakeableSleep.ts";
import { refusal } from "../../http/refusal.ts";
import type { Session } from "./session.ts";

/** A session without a ping or call for this long is deleted, as on the reference server. */
const MAX_IDLE_MS = 900_000;
const REAP_INTERVAL_MS = 5_000;
/** How long an id without an episode holds its place, as on the hosted service. */
const RESERVED_MS = 120_000;

export interface SessionStoreOptions {
  readonly clock: Clock;
  /** Maximum number of concurrent sessions, including ids waiting for their episode; Infinity = no limit. */
  readonly maxSessions: number;
}

interface StoredSession {
  readonly session: Session;
  lastUsedMs: number;
}

export class SessionStore {
  readonly #clock: Clock;
  readonly #maxSessions: number;
  readonly #sessions = new Map<string, StoredSession>();
  /** When ids were issued whose episodes have not started. */
  readonly #reserved = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #reaping: Promise<void>;

  constructor({ clock, maxSessions }: SessionStoreOptions) {
    this.#clock = clock;
    this.#maxSessions = maxSessions;
    this.#reaping = this.#reap();
  }

  /** Reserves a place for the id, or renews it. @throws AppError `http-refused` 429 if there is no place left */
  reserve(sid: string): void {
    if (!this.#hasPlace(sid)) this.#requireRoom();
    this.#reserved.set(sid, this.#clock.monotonic());
  }

  /** @throws AppError `http-refused` 400 if the id is taken, 429 if it has no place and none is left */
  add(sid: string, open: () => Session): void {
    if (this.#sessions.has(sid)) throw refusal(400, "Session already exists");
    if (!this.#hasPlace(sid)) this.#requireRoom();
    this.#sessions.set(sid, { session: open(), lastUsedMs: this.#clock.monotonic() });
    this.#reserved.delete(sid);
  }

  /** Returns the session and resets its idle time. @throws AppError `http-refused` 404 if it is unknown or was deleted */
  use(sid: string): Session {
    const stored = this.#sessions.get(sid);
    if (stored === undefined) throw refusal(404, "Active environment not found");
    stored.lastUsedMs = this.#clock.monotonic();
    return stored.session;
  }

  /** Ends the session; does nothing for an unknown id. */
  remove(sid: string): void {
    this.#sessions.get(sid)?.session.close();
    this.#sessions.delete(sid);
    this.#reserved.delete(sid);
  }

  async close(): Promise<void> {
    for (const sid of [...this.#sessions.keys()]) this.remove(sid);
    this.#stop.abort();
    await this.#reaping;
  }

  #hasPlace(sid: string): boolean {
    return this.#sessions.has(sid) || this.#reserved.has(sid);
  }

  #requireRoom(): void {
    if (this.#sessions.size + this.#reserved.size < this.#maxSessions) return;
    const limit = `${this.#maxSessions} session${this.#maxSessions === 1 ? "" : "s"}`;
    throw refusal(429, `The environments are at maximum capacity (${limit}).`);
  }

  async #reap(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleepUntilAborted(this.#clock, REAP_INTERVAL_MS, signal);
      const limit = this.#clock.monotonic() - MAX_IDLE_MS;
      for (const [sid, reservedMs] of this.#reserved) {
        if (reservedMs <= this.#clock.monotonic() - RESERVED_MS) this.#reserved.delete(sid);
      }
      for (const [sid, { session, lastUsedMs }] of this.#sessions) {
        session.dropOldCalls();
        if (lastUsedMs <= limit && !session.hasRunningCall()) this.remove(sid);
      }
    }
  }
}
