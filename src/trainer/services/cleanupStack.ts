/** Closes everything that a run has opened, in reverse order. */

export class CleanupStack {
  #entries: (() => Promise<void>)[] = [];
  #isClosed = false;

  /** Returns a function that removes the entry. Entries added after {@link closeAll} are closed at once. */
  add(close: () => Promise<void>): () => void {
    if (this.#isClosed) {
      close().catch(() => undefined);
      return () => undefined;
    }
    this.#entries.push(close);
    return () => {
      this.#entries = this.#entries.filter((entry) => entry !== close);
    };
  }

  /** Closes everything, even if some entries fail. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    for (let close = this.#entries.pop(); close !== undefined; close = this.#entries.pop()) {
      try {
        await close();
      } catch {
        // What cannot be closed ends with the process.
      }
    }
  }
}
