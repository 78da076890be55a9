/** Spreads many actions over turns of the event loop, so that timers and sockets are served between them. */

export class EventLoopThrottle {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #isTurnAwaited = false;

  /** At most `perTurn` actions begin in one turn. */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Runs `action` now, or in its order in one of the next turns. */
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

  /** Only after those that wait do others run at once. */
  #runWaiting(): void {
    const actions = this.#waiting.splice(0, this.#perTurn);
    this.#begun = actions.length;
    for (const action of actions) action();
    this.#awaitTurnWhenFull();
  }

  #awaitTurnWhenFull(): void {
    // Those of earlier turns count until so many have begun: each turn that is asked for costs time, and few actions need none.
    if (this.#isTurnAwaited || this.#begun < this.#perTurn) return;
    this.#isTurnAwaited = true;
    setImmediate(this.#onTurn);
  }
}
