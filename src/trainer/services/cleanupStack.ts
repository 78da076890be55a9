/** What a run has opened, closed in reverse order. */

export class CleanupStack {
  #entries: (() => Promise<void>)[] = [];
  #isClosed = false;

  /** Returns a function that takes the entry out again. What comes after {@link closeAll} is closed at once. */
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

  /** Closes everything; a failure does not keep the others from closing. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    for (let close = this.#entries.pop(); close !== undefined; close = this.#entries.pop()) {
      try {
        await close();
      } catch {
        // What fails to close ends with the process.
      }
    }
  }
}
