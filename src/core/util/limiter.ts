/** Limits what runs concurrently, by count or by size; everything else waits in order of arrival. */

export interface AcquireOptions {
  /** Waits ahead of all others, for work that already had its turn and was sent back. */
  readonly atHead?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Units of the limit that it takes, by default 1. Work that needs more than the limit runs alone. */
  readonly units?: number | undefined;
}

interface Waiter {
  readonly units: number;
  readonly grant: () => void;
}

/** A counting limiter: fair (first in, first out), resizable while in use. */
export class Limiter {
  #limit: number;
  #active = 0;
  readonly #waiters: Waiter[] = [];

  /** `limit` is an integer of at least 1, or Infinity. */
  constructor(limit: number) {
    this.#limit = checkedLimit(limit);
  }

  get limit(): number {
    return this.#limit;
  }

  /** Units in use; may exceed `limit` for a while after it was lowered. */
  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Changes the limit; running work is not affected, and waiting work starts immediately if there is room. */
  resize(limit: number): void {
    this.#limit = checkedLimit(limit);
    this.#admit();
  }

  /**
   * Resolves with a function that gives the units back (calling it twice does no harm).
   * Rejects with the signal's reason when aborted while waiting.
   */
  acquire({ atHead = false, signal, units = 1 }: AcquireOptions = {}): Promise<() => void> {
    if (this.#hasRoom(units) && this.#waiters.length === 0 && signal?.aborted !== true) {
      return Promise.resolve(this.#take(units));
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const waiter: Waiter = {
        units,
        grant: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#take(units));
        },
      };
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal?.reason);
        this.#admit();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (atHead) this.#waiters.unshift(waiter);
      else this.#waiters.push(waiter);
      this.#admit();
    });
  }

  /** Runs `task` with its share of the limit held until it ends. */
  async run<T>(task: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  #hasRoom(units: number): boolean {
    return this.#active === 0 || this.#active + units <= this.#limit;
  }

  #admit(): void {
    for (let next = this.#waiters[0]; next !== undefined; next = this.#waiters[0]) {
      if (!this.#hasRoom(next.units)) return;
      this.#waiters.shift();
      next.grant();
    }
  }

  #take(units: number): () => void {
    this.#active += units;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= units;
      this.#admit();
    };
  }
}

function checkedLimit(limit: number): number {
  if (!(Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY) || limit < 1) {
    throw new RangeError(`A limiter needs a whole number of units, at least 1, not ${limit}.`);
  }
  return limit;
}
