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

  /** True when it has lasted so long that it will not be over in a moment. */
  get isLasting(): boolean {
    return this.#sinceMs !== null && this.#clock.monotonic() - this.#sinceMs >= PATIENCE_MS;
  }

  /** A try failed and is repeated. */
  failed(reason: string): void {
    this.#sinceMs ??= this.#clock.monotonic();
    this.#reason = reason;
    if (this.isLasting) this.tell(`Weights & Biases cannot be reached (${reason}).`);
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
