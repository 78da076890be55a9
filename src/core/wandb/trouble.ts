/** Reports trouble with W&B: one warning when it has lasted, and one message when it is over. */

import type { Clock } from "../ports.ts";

/** Shorter trouble is not reported. */
const PATIENCE_MS = 30_000;

export interface TroubleVoice {
  readonly warning: (message: string) => void;
  readonly recovered: (message: string) => void;
}

export class Trouble {
  readonly #clock: Clock;
  readonly #voice: TroubleVoice;
  #sinceMs: number | null = null;
  #reason = "";
  #isTold = false;

  constructor(clock: Clock, voice: TroubleVoice) {
    this.#clock = clock;
    this.#voice = voice;
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

  /** An answer came, which need not mean that what matters gets through. */
  passed(): void {
    this.#sinceMs = null;
  }

  /** What matters got through. */
  recovered(): void {
    this.#sinceMs = null;
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#voice.recovered("Weights & Biases takes the run again.");
  }

  /** Warns, once until it has recovered. */
  tell(what: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#voice.warning(
      `${what} The run goes on; what is not sent stays in its folder and is sent later.`,
    );
  }
}
