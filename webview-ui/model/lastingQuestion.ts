/** A question whose answer outlives the view that asked it, so that the results are still there when a person returns. */

import { type Signal, signal } from "@preact/signals";
import type { DashboardQuestion } from "../../src/shared/dashboardMessages.ts";
import type { Answer, Host } from "./host.ts";

interface Completing {
  readonly isComplete: boolean;
}

export interface Answered extends Completing {
  readonly error: string | null;
}

/** The answer to show when `next` arrives: a complete answer stays until the next one is complete too. */
export function lasting<T extends Completing>(shown: T | null, next: T): T {
  return shown?.isComplete === true && !next.isComplete ? shown : next;
}

export class LastingQuestion<T extends Answered> {
  /** Null if no question was asked. */
  readonly answer: Signal<T | null> = signal(null);
  readonly #host: Host;
  readonly #first: T;
  readonly #add: (last: T, answer: Answer) => T;
  #asked: string | null = null;
  #size = 0;
  #cancel = (): void => undefined;

  /** `add` folds one more answer into the result so far; an error completes it. */
  constructor(host: Host, first: T, add: (last: T, answer: Answer) => T) {
    this.#host = host;
    this.#first = first;
    this.#add = add;
  }

  /** Asks the question unless the last one, at the same `size`, was equal. */
  ask(question: DashboardQuestion, size = 0): void {
    const asked = JSON.stringify(question);
    const isRepeated = asked === this.#asked;
    if (isRepeated && size === this.#size) return;
    this.#asked = asked;
    this.#size = size;
    this.#cancel();
    let next = this.#first;
    this.answer.value = lasting(isRepeated ? this.answer.peek() : null, next);
    this.#cancel = this.#host.ask(question, (answer) => {
      next =
        answer.kind === "error"
          ? { ...next, error: answer.message, isComplete: true }
          : this.#add(next, answer);
      this.answer.value = lasting(this.answer.peek(), next);
    });
  }

  /** Cancels the question and drops its answer. */
  clear(): void {
    this.#cancel();
    this.#asked = null;
    this.answer.value = null;
  }
}
