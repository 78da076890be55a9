/** The open sessions by their id; idle ones are ended. */

import type { Clock } from "../../../core/ports.ts";
import { sleepUntilAborted } from "../../../core/util/wakeableSleep.ts";
import { refusal } from "../../http/refusal.ts";
import type { Session } from "./session.ts";

/** A session without ping or call for so long is deleted, as at the reference server. */
const MAX_IDLE_MS = 900_000;
const REAP_INTERVAL_MS = 5_000;
/** An id without an episode holds its place for so long, as at the hosted service. */
const RESERVED_MS = 120_000;

export interface SessionStoreOptions {
  readonly clock: Clock;
  /** Most sessions at once, ids that wait for their episode included; Infinity = no limit. */
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
  /** When ids were given out whose episodes have not begun. */
  readonly #reserved = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #reaping: Promise<void>;

  constructor({ clock, maxSessions }: SessionStoreOptions) {
    this.#clock = clock;
    this.#maxSessions = maxSessions;
    this.#reaping = this.#reap();
  }

  /** Keeps a place for the id; again for one that has a place already. @throws AppError `http-refused` 429 when there is none. */
  reserve(sid: string): void {
    if (!this.#hasPlace(sid)) this.#requireRoom();
    this.#reserved.set(sid, this.#clock.monotonic());
  }

  /** @throws AppError `http-refused` 400 when the id is taken, 429 when it has no place and there is none. */
  add(sid: string, open: () => Session): void {
    if (this.#sessions.has(sid)) throw refusal(400, "Session already exists");
    if (!this.#hasPlace(sid)) this.#requireRoom();
    this.#sessions.set(sid, { session: open(), lastUsedMs: this.#clock.monotonic() });
    this.#reserved.delete(sid);
  }

  /** The session, whose idle time starts again. @throws AppError `http-refused` 404 when it is unknown or was deleted. */
  use(sid: string): Session {
    const stored = this.#sessions.get(sid);
    if (stored === undefined) throw refusal(404, "Active environment not found");
    stored.lastUsedMs = this.#clock.monotonic();
    return stored.session;
  }

  /** Ends the session; harmless for an id that does not exist. */
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
