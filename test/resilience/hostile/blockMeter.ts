/** Measures how long the event loop of this process was kept from other work, and how much memory the process had. */

/** What happened while one thing was done. */
export interface Load {
  /** The longest time without other work, as far as the process used the processor meanwhile. */
  readonly blockMs: number;
  /** At its most. */
  readonly rssMb: number;
  /** What JavaScript's objects took at their most, garbage included. */
  readonly heapMb: number;
}

const TICK_MS = 10;
const MB = 1024 * 1024;

export class BlockMeter {
  #at = performance.now();
  #cpu = process.cpuUsage();
  #blockMs = 0;
  #rss = 0;
  #heap = 0;
  readonly #timer = setInterval(() => this.#tick(), TICK_MS);

  /** What has been measured since the last call. */
  take(): Load {
    this.#tick();
    const load = { blockMs: this.#blockMs, rssMb: this.#rss / MB, heapMb: this.#heap / MB };
    this.#blockMs = 0;
    this.#rss = 0;
    this.#heap = 0;
    return load;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    const { user, system } = process.cpuUsage(this.#cpu);
    // A busy machine holds a process up, and other threads of it work: only what both clocks saw was a block.
    this.#blockMs = Math.max(this.#blockMs, Math.min(now - this.#at, (user + system) / 1000));
    const { rss, heapUsed } = process.memoryUsage();
    this.#rss = Math.max(this.#rss, rss);
    this.#heap = Math.max(this.#heap, heapUsed);
    this.#at = now;
    this.#cpu = process.cpuUsage();
  }
}
