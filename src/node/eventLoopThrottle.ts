/** Spreads many actions over event loop turns, so that timers and sockets are served in between. */

export class EventLoopThrottle {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #isTurnAwaited = false;

  /** Starts at most `perTurn` actions per turn. */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Runs `action` now, or queues it for one of the next turns. */
  run(action: () => void): void {
    if (this.#begun >= this.#perTurn) {
      this.#waiting.push(action);
      return;
    }
    this.#begun += 1;
    action();
    this.#awaitTurnWhenFull();
  }

  readonly #onTurn = (): void => {
    this.#isTurnAwaited = false;
    this.#runWaiting();
  };

  /** Queued actions go first; only then may others run immediately. */
  #runWaiting(): void {
    const actions = this.#waiting.splice(0, this.#perTurn);
    this.#begun = actions.length;
    for (const action of actions) action();
    this.#awaitTurnWhenFull();
  }

  #awaitTurnWhenFull(): void {
    // Counts across turns until the limit is reached: scheduling a turn has a cost, and a few actions do not need one.
    if (this.#isTurnAwaited || this.#begun < this.#perTurn) return;
    this.#isTurnAwaited = true;
    setImmediate(this.#onTurn);
  }
}
