/** Measures how long this process's event loop was blocked, and its memory use. */

/** Measurements of one action. */
export interface Load {
  /** The longest block, limited to the processor time used meanwhile. */
  readonly blockMs: number;
  /** Peak. */
  readonly rssMb: number;
  /** Peak size of the JavaScript heap, including garbage. */
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

  /** Measurements since the last call. */
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
    // A busy machine delays a process, and its other threads use the processor: only what both clocks saw was a block.
    this.#blockMs = Math.max(this.#blockMs, Math.min(now - this.#at, (user + system) / 1000));
    const { rss, heapUsed } = process.memoryUsage();
    this.#rss = Math.max(this.#rss, rss);
    this.#heap = Math.max(this.#heap, heapUsed);
    this.#at = now;
    this.#cpu = process.cpuUsage();
  }
}
