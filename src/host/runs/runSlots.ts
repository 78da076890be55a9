/** Limits how many trainings run at once in a window, and queues the others. */

/** What to do when all slots are taken. */
export type SlotChoice = "queue" | "parallel" | "stop first";

export interface RunSlotsOptions {
  readonly maxParallel: () => number;
  /**
   * Asks the user what to do about the training `title`; the first in `running` is the one that a stop would end. Undefined = do not start.
   */
  readonly choose: (title: string, running: readonly string[]) => Promise<SlotChoice | undefined>;
}

export interface Holder {
  readonly title: string;
  /** The configuration with which a later window can repeat the start; null = it cannot be repeated from a configuration alone. */
  readonly startsAgain: string | null;
  /** Resolves with false if it could not be stopped; the user has been informed. */
  readonly stop: () => Promise<boolean>;
}

interface Waiting {
  readonly holder: Holder;
  /** The holder whose slot it takes; null = the next free slot. */
  predecessor: Holder | null;
  readonly start: () => void;
  readonly cancel: () => void;
}

export class RunSlots {
  readonly #options: RunSlotsOptions;
  readonly #holders = new Set<Holder>();
  readonly #waiting: Waiting[] = [];

  constructor(options: RunSlotsOptions) {
    this.#options = options;
  }

  /** Waiting holders, in order. */
  get waiting(): readonly Holder[] {
    return this.#waiting.map(({ holder }) => holder);
  }

  /**
   * Resolves with a function that releases the slot, or null if the user decides not to start. Rejects with the signal's reason if aborted
   * during the prompt or while waiting.
   */
  async take(
    holder: Holder,
    options: { readonly onWait: () => void; readonly signal: AbortSignal },
  ): Promise<(() => void) | null> {
    if (!this.#isFull) return this.#place(holder);
    const running = [...this.#holders];
    const choice = await this.#options.choose(
      holder.title,
      running.map(({ title }) => title),
    );
    options.signal.throwIfAborted();
    if (choice === undefined) return null;
    // A training may have ended meanwhile, and its end would not be reported again.
    const isFree = !this.#isFull && this.#waiting.every((each) => each.predecessor !== null);
    if (choice === "parallel" || isFree) return this.#place(holder);
    const predecessor = choice === "stop first" ? this.#stoppable(running[0]) : null;
    const turn = this.#turn(holder, predecessor, options.signal);
    void predecessor?.stop().then((isStopping) => {
      if (!isStopping) this.#freeSuccessor(predecessor);
    });
    options.onWait();
    return turn;
  }

  /** Takes a slot without asking, for a training that is already running. */
  join(holder: Holder): () => void {
    return this.#place(holder);
  }

  /** Cancels a waiting holder: its `take` resolves with null. */
  cancel(holder: Holder): void {
    this.#waiting.find((each) => each.holder === holder)?.cancel();
  }

  /** Starts those that wait for a free slot, as many as there are. Call when `maxParallel` may have changed. */
  startNext(): void {
    while (!this.#isFull) {
      const next = this.#waiting.find(({ predecessor }) => predecessor === null);
      if (next === undefined) return;
      next.start();
    }
  }

  get #isFull(): boolean {
    return this.#holders.size >= this.#options.maxParallel();
  }

  /** Null if it ended during the prompt, or if another one is already waiting for its slot. */
  #stoppable(holder: Holder | undefined): Holder | null {
    if (holder === undefined || !this.#holders.has(holder)) return null;
    return this.#waiting.some(({ predecessor }) => predecessor === holder) ? null : holder;
  }

  #place(holder: Holder): () => void {
    this.#holders.add(holder);
    return () => {
      if (!this.#holders.delete(holder)) return;
      this.#waiting.find(({ predecessor }) => predecessor === holder)?.start();
      this.startNext();
    };
  }

  /** Lets the holder that waits for `holder` take any slot. */
  #freeSuccessor(holder: Holder): void {
    const successor = this.#waiting.find(({ predecessor }) => predecessor === holder);
    if (successor !== undefined) successor.predecessor = null;
    this.startNext();
  }

  #turn(
    holder: Holder,
    predecessor: Holder | null,
    signal: AbortSignal,
  ): Promise<(() => void) | null> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener("abort", abort);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      };
      const abort = (): void => {
        leave();
        reject(signal.reason);
      };
      const waiting: Waiting = {
        holder,
        predecessor,
        start: () => {
          leave();
          // Take the slot right away, because the next training in the queue is offered the same free slot.
          resolve(this.#place(holder));
        },
        cancel: () => {
          leave();
          resolve(null);
        },
      };
      this.#waiting.push(waiting);
      signal.addEventListener("abort", abort, { once: true });
    });
  }
}
