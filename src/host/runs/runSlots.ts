/** How many trainings continue in a window at once, and who waits for whom. */

import { Emitter } from "../../core/util/emitter.ts";

/** What to do when all places are taken. */
export type SlotChoice = "queue" | "parallel" | "stop first";

export interface RunSlotsOptions {
  readonly maxParallel: () => number;
  /** Asks the user about the training `title`; undefined = do not start it. */
  readonly choose: (title: string, running: readonly string[]) => Promise<SlotChoice | undefined>;
}

export interface Holder {
  readonly title: string;
  readonly stop: () => void;
}

export class RunSlots {
  readonly #options: RunSlotsOptions;
  readonly #holders = new Set<Holder>();
  readonly #queue: Holder[] = [];
  readonly #freed = new Emitter<void>();

  constructor(options: RunSlotsOptions) {
    this.#options = options;
  }

  /** Titles of the trainings that wait, in their order. */
  get waiting(): readonly string[] {
    return this.#queue.map(({ title }) => title);
  }

  /**
   * Resolves with a function that gives the place back, or null when the user does not want to start after all.
   * Rejects with the signal's reason when aborted while waiting.
   */
  async take(
    holder: Holder,
    options: { readonly onWait: () => void; readonly signal: AbortSignal },
  ): Promise<(() => void) | null> {
    if (this.#isFull) {
      const choice = await this.#options.choose(
        holder.title,
        [...this.#holders].map(({ title }) => title),
      );
      if (choice === undefined) return null;
      if (choice === "parallel") return this.#place(holder);
      // A training may have ended meanwhile, and its end would not be reported again.
      if (this.#isFull || this.#queue.length > 0) {
        if (choice === "stop first") [...this.#holders][0]?.stop();
        options.onWait();
        return this.#turn(holder, options.signal);
      }
    }
    return this.#place(holder);
  }

  /** Takes a place without asking: for a training that continues already. */
  join(holder: Holder): () => void {
    return this.#place(holder);
  }

  get #isFull(): boolean {
    return this.#holders.size >= this.#options.maxParallel();
  }

  #place(holder: Holder): () => void {
    this.#holders.add(holder);
    return () => {
      if (this.#holders.delete(holder)) this.#freed.fire();
    };
  }

  #turn(holder: Holder, signal: AbortSignal): Promise<() => void> {
    this.#queue.push(holder);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        listening.dispose();
        signal.removeEventListener("abort", abort);
        this.#queue.splice(this.#queue.indexOf(holder), 1);
      };
      const abort = (): void => {
        leave();
        reject(signal.reason);
      };
      const listening = this.#freed.event(() => {
        if (this.#queue[0] !== holder || this.#isFull) return;
        leave();
        // Takes the place at once, because the next training in the queue is offered the same free place.
        resolve(this.#place(holder));
      });
      signal.addEventListener("abort", abort, { once: true });
    });
  }
}
