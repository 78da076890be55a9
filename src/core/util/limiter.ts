/** Counts how many things may run at once; the others wait in the order they came. */

export interface AcquireOptions {
  /** Waits in front of all others: for work that already had its turn and was sent back. */
  readonly atHead?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly grant: () => void;
}

/** A counting limiter: fair (first in, first out), resizable while in use. */
export class Limiter {
  #limit: number;
  #active = 0;
  readonly #waiters: Waiter[] = [];

  /** `limit` is an integer, at least 1, or Infinity. */
  constructor(limit: number) {
    this.#limit = checkedLimit(limit);
  }

  get limit(): number {
    return this.#limit;
  }

  /** How many places are taken; above `limit` for a while after it was lowered. */
  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Changes the limit; running work is left alone, waiting work starts at once where there is room. */
  resize(limit: number): void {
    this.#limit = checkedLimit(limit);
    this.#admit();
  }

  /**
   * Resolves with a function that gives the place back (calling it twice does no harm).
   * Rejects with the signal's reason when aborted while waiting.
   */
  acquire({ atHead = false, signal }: AcquireOptions = {}): Promise<() => void> {
    if (this.#active < this.#limit && this.#waiters.length === 0 && signal?.aborted !== true) {
      this.#active += 1;
      return Promise.resolve(this.#place());
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const waiter: Waiter = {
        grant: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#place());
        },
      };
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (atHead) this.#waiters.unshift(waiter);
      else this.#waiters.push(waiter);
      this.#admit();
    });
  }

  /** Runs `task` with a place held from its start to its end. */
  async run<T>(task: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  #admit(): void {
    while (this.#active < this.#limit) {
      const next = this.#waiters.shift();
      if (next === undefined) return;
      this.#active += 1;
      next.grant();
    }
  }

  #place(): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= 1;
      this.#admit();
    };
  }
}

function checkedLimit(limit: number): number {
  if (!(Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY) || limit < 1) {
    throw new RangeError(`A limiter needs a whole number of places, at least 1, not ${limit}.`);
  }
  return limit;
}
