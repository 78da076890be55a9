/** The newest entries of a log within a memory limit. */

const MAX_ENTRIES = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Kept in insertion order; the oldest entries are dropped first. */
export class NewestEntries<T> {
  readonly #entries: T[] = [];
  readonly #lengths: number[] = [];
  #bytes = 0;

  get all(): readonly T[] {
    return this.#entries;
  }

  /** `length` is the length of the entry's line in bytes. */
  add(entry: T, length: number): void {
    this.#entries.push(entry);
    this.#lengths.push(length);
    this.#bytes += length;
    while (this.#entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      this.#entries.shift();
      this.#bytes -= this.#lengths.shift() ?? 0;
    }
  }
}
