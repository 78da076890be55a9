/** How many trainings continue in a window at once, and who waits for whom. */

/** What to do when all places are taken. */
export type SlotChoice = "queue" | "parallel" | "stop first";

export interface RunSlotsOptions {
  readonly maxParallel: () => number;
  /** Asks the user about the training `title`; `running` has the one first that a stop would end. Undefined = do not start it. */
  readonly choose: (title: string, running: readonly string[]) => Promise<SlotChoice | undefined>;
}

export interface Holder {
  readonly title: string;
  /** The configuration with which a later window can start it again; null = no such start is the same. */
  readonly startsAgain: string | null;
  /** Resolves with false when it goes on, which the user has learned. */
  readonly stop: () => Promise<boolean>;
}

interface Waiting {
  readonly holder: Holder;
  /** The holder whose place it takes; null = the next place that is free. */
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

  /** Those that wait, in their order. */
  get waiting(): readonly Holder[] {
    return this.#waiting.map(({ holder }) => holder);
  }

  /**
   * Resolves with a function that gives the place back, or null when the user does not want to start after all.
   * Rejects with the signal's reason when aborted while waiting.
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

  /** Takes a place without asking: for a training that continues already. */
  join(holder: Holder): () => void {
    return this.#place(holder);
  }

  /** Ends the wait of one that waits: its `take` resolves with null. */
  cancel(holder: Holder): void {
    this.#waiting.find((each) => each.holder === holder)?.cancel();
  }

  get #isFull(): boolean {
    return this.#holders.size >= this.#options.maxParallel();
  }

  /** Null for one that has ended while the user was asked, and for one whose place another one waits for. */
  #stoppable(holder: Holder | undefined): Holder | null {
    if (holder === undefined || !this.#holders.has(holder)) return null;
    return this.#waiting.some(({ predecessor }) => predecessor === holder) ? null : holder;
  }

  #place(holder: Holder): () => void {
    this.#holders.add(holder);
    return () => {
      if (!this.#holders.delete(holder)) return;
      this.#waiting.find(({ predecessor }) => predecessor === holder)?.start();
      this.#startNext();
    };
  }

  /** The one that waits for `holder` takes any place. */
  #freeSuccessor(holder: Holder): void {
    const successor = this.#waiting.find(({ predecessor }) => predecessor === holder);
    if (successor !== undefined) successor.predecessor = null;
    this.#startNext();
  }

  #startNext(): void {
    while (!this.#isFull) {
      const next = this.#waiting.find(({ predecessor }) => predecessor === null);
      if (next === undefined) return;
      next.start();
    }
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
          // Takes the place at once, because the next training in the queue is offered the same free place.
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
