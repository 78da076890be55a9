/** Owns the open sessions by their id, and the reaper that ends the ones nobody uses. */

import type { Clock } from "../../../core/ports.ts";
import { HttpFault } from "./fault.ts";
import type { Session } from "./session.ts";

/** A session without ping or call for so long is deleted (ORS, section 5.6). */
const MAX_IDLE_MS = 900_000;
const REAP_INTERVAL_MS = 5_000;

interface StoredSession {
  readonly session: Session;
  lastUsedMs: number;
}

export class SessionStore {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, StoredSession>();
  readonly #stop = new AbortController();
  readonly #reaping: Promise<void>;

  constructor(dependencies: { readonly clock: Clock }) {
    this.#clock = dependencies.clock;
    this.#reaping = this.#reap();
  }

  /** @throws HttpFault 400 when the id is taken. */
  add(sid: string, open: () => Session): void {
    if (this.#sessions.has(sid)) throw new HttpFault(400, "Session already exists");
    this.#sessions.set(sid, { session: open(), lastUsedMs: this.#clock.monotonic() });
  }

  /** The session, whose idle time starts anew. @throws HttpFault 404 when it is unknown or was deleted. */
  use(sid: string): Session {
    const stored = this.#sessions.get(sid);
    if (stored === undefined) throw new HttpFault(404, "Active environment not found");
    stored.lastUsedMs = this.#clock.monotonic();
    return stored.session;
  }

  /** Ends the session; harmless for an id that does not exist. */
  remove(sid: string): void {
    this.#sessions.get(sid)?.session.close();
    this.#sessions.delete(sid);
  }

  async close(): Promise<void> {
    for (const sid of [...this.#sessions.keys()]) this.remove(sid);
    this.#stop.abort();
    await this.#reaping;
  }

  async #reap(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#clock.sleep(REAP_INTERVAL_MS, signal).catch(() => undefined);
      const limit = this.#clock.monotonic() - MAX_IDLE_MS;
      for (const [sid, { session, lastUsedMs }] of this.#sessions) {
        session.forgetOldCalls();
        if (lastUsedMs <= limit && !session.hasRunningCall()) this.remove(sid);
      }
    }
  }
}
