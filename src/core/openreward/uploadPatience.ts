/** Owns how long uploads wait for a service that does not take them: one back-off for all of them, with an end to none. */

import type { Clock, Random } from "../ports.ts";
import type { Unavailable } from "./uploadClient.ts";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 60_000;
const MAX_RETRY_AFTER_MS = 5 * 60_000;
/** A shorter outage is nobody's concern. */
const TOLD_AFTER_MS = 30_000;

export interface UploadPatienceParts {
  readonly clock: Clock;
  readonly random: Random;
  /** An outage has lasted for half a minute. */
  readonly onTrouble: (reason: string) => void;
  /** An outage that was told of is over. */
  readonly onRecovered: () => void;
}

export class UploadPatience {
  readonly #parts: UploadPatienceParts;
  #failures = 0;
  #notBeforeMs = 0;
  #troubledSinceMs: number | null = null;
  #reason = "";
  #isTold = false;

  constructor(parts: UploadPatienceParts) {
    this.#parts = parts;
  }

  /** For how long nothing has been taken, and why; null while all is well. */
  get trouble(): { readonly forMs: number; readonly reason: string } | null {
    if (this.#troubledSinceMs === null) return null;
    const forMs = this.#parts.clock.monotonic() - this.#troubledSinceMs;
    return { forMs, reason: this.#reason };
  }

  /** Resolves when the next request may go. Rejects with the signal's reason. */
  async ready(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    for (;;) {
      signal.throwIfAborted();
      const waitMs = this.#notBeforeMs - clock.monotonic();
      if (waitMs <= 0) return;
      await clock.sleep(waitMs, signal);
    }
  }

  failed({ reason, retryAfterMs }: Unavailable): void {
    const { clock, random, onTrouble } = this.#parts;
    const nowMs = clock.monotonic();
    this.#troubledSinceMs ??= nowMs;
    this.#reason = reason;
    // Those that were under way together fail together, and that counts once.
    if (nowMs >= this.#notBeforeMs) this.#failures += 1;
    const capMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1));
    const waitMs = retryAfterMs ?? capMs * (0.5 + 0.5 * random.uniform());
    const nextMs = nowMs + Math.min(waitMs, MAX_RETRY_AFTER_MS);
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nextMs);
    if (this.#isTold || nowMs - this.#troubledSinceMs < TOLD_AFTER_MS) return;
    this.#isTold = true;
    onTrouble(reason);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#troubledSinceMs = null;
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#parts.onRecovered();
  }
}
