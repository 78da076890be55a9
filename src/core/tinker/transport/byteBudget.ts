/** Bounds the bytes that are in progress at once; a request that would exceed the bound waits, in the order of arrival. */

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
}

/** What is larger than the whole budget passes alone. */
export class ByteBudget {
  readonly #limitBytes: number;
  readonly #waiters: Waiter[] = [];
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Resolves with a function that gives the bytes back, to be called once. Rejects with the signal's reason when aborted. */
  reserve(bytes: number, signal?: AbortSignal): Promise<() => void> {
    if (this.#waiters.length === 0 && this.#hasRoom(bytes) && signal?.aborted !== true) {
      this.#usedBytes += bytes;
      return Promise.resolve(() => this.#give(bytes));
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        bytes,
        grant: () => {
          signal?.removeEventListener("abort", leave);
          resolve(() => this.#give(bytes));
        },
      };
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal?.reason);
        this.#admit();
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiters.push(waiter);
      this.#admit();
    });
  }

  #hasRoom(bytes: number): boolean {
    return this.#usedBytes === 0 || this.#usedBytes + bytes <= this.#limitBytes;
  }

  #give(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#waiters[0]; next !== undefined; next = this.#waiters[0]) {
      if (!this.#hasRoom(next.bytes)) return;
      this.#usedBytes += next.bytes;
      this.#waiters.shift();
      next.grant();
    }
  }
}
