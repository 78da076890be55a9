/** Bounds what may run at once, by count or by size; the others wait in the order they came. */

export interface AcquireOptions {
  /** Waits in front of all others: for work that already had its turn and was sent back. */
  readonly atHead?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How many places it takes, by default 1. What takes more than there are runs alone. */
  readonly places?: number | undefined;
}

interface Waiter {
  readonly places: number;
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
  acquire({ atHead = false, signal, places = 1 }: AcquireOptions = {}): Promise<() => void> {
    if (this.#hasRoom(places) && this.#waiters.length === 0 && signal?.aborted !== true) {
      return Promise.resolve(this.#take(places));
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const waiter: Waiter = {
        places,
        grant: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#take(places));
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

  /** Runs `task` with a place held from its start to its end. */
  async run<T>(task: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const release = await this.acquire(options);
    try {
      return await task();
    } finally {
      release();
    }
  }

  #hasRoom(places: number): boolean {
    return this.#active === 0 || this.#active + places <= this.#limit;
  }

  #admit(): void {
    for (let next = this.#waiters[0]; next !== undefined; next = this.#waiters[0]) {
      if (!this.#hasRoom(next.places)) return;
      this.#waiters.shift();
      next.grant();
    }
  }

  #take(places: number): () => void {
    this.#active += places;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#active -= places;
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
