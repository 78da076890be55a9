/** Reports an outage of the server once when it has lasted for a while, and once when it is over. */

import type { Clock } from "../ports.ts";
import type { OnServerMessage } from "./serverMessage.ts";

/** Shorter outages are not reported. */
const PATIENCE_MS = 30_000;

export class ServerOutage {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #onMessage: OnServerMessage;
  #sinceMs: number | null = null;
  #isTold = false;

  constructor(clock: Pick<Clock, "monotonic">, onMessage: OnServerMessage = () => undefined) {
    this.#clock = clock;
    this.#onMessage = onMessage;
  }

  /** A request got no answer that helps. */
  failed(reason: string): void {
    const nowMs = this.#clock.monotonic();
    this.#sinceMs ??= nowMs;
    if (this.#isTold || nowMs - this.#sinceMs < PATIENCE_MS) return;
    this.#isTold = true;
    const text = `It gives no answer (${reason}). The run waits and asks again.`;
    this.#onMessage({ level: "warn", text });
  }

  /** A request got an answer. */
  answered(): void {
    this.#sinceMs = null;
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#onMessage({ level: "info", text: "It answers again." });
  }
}
