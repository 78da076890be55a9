/** Whether W&B gives trouble, and the one warning about it. */

import type { Clock } from "../ports.ts";

/** A fault that passes sooner is not worth a word. */
const PATIENCE_MS = 30_000;

export class Trouble {
  readonly #clock: Clock;
  readonly #warn: (message: string) => void;
  #sinceMs: number | null = null;
  #reason = "";
  #isTold = false;

  constructor(clock: Clock, warn: (message: string) => void) {
    this.#clock = clock;
    this.#warn = warn;
  }

  /** What went wrong last, if nothing has gone right since. */
  get reason(): string | null {
    return this.#sinceMs === null ? null : this.#reason;
  }

  /** How long nothing has gone right; 0 when all is well. */
  get forMs(): number {
    return this.#sinceMs === null ? 0 : this.#clock.monotonic() - this.#sinceMs;
  }

  /** A try failed and is repeated. */
  failed(reason: string): void {
    this.#sinceMs ??= this.#clock.monotonic();
    this.#reason = reason;
    if (this.forMs >= PATIENCE_MS) this.tell(`Weights & Biases cannot be reached (${reason}).`);
  }

  passed(): void {
    this.#sinceMs = null;
  }

  /** Warns, unless that was done before. */
  tell(what: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#warn(`${what} The run goes on; what is not sent stays in its folder and is sent later.`);
  }
}
