/** A question whose answer outlives the view that asked it, so that a person comes back to what was found. */

import { type Signal, signal } from "@preact/signals";
import type { DashboardQuestion } from "../../src/shared/dashboardMessages.ts";
import type { Answer, Host } from "./host.ts";

export class LastingQuestion<T> {
  /** Null when nothing is asked. */
  readonly answer: Signal<T | null> = signal(null);
  readonly #host: Host;
  readonly #first: T;
  readonly #add: (last: T, answer: Answer) => T;
  #asked: string | null = null;
  #cancel = (): void => undefined;

  /** `add` gives what is known with one more answer. */
  constructor(host: Host, first: T, add: (last: T, answer: Answer) => T) {
    this.#host = host;
    this.#first = first;
    this.#add = add;
  }

  /** Asks, unless the same was asked last about the same `subject`. Null ends the question. */
  ask(question: DashboardQuestion | null, subject: string): void {
    const asked = JSON.stringify([question, subject]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#cancel();
    this.#cancel = () => undefined;
    this.answer.value = question === null ? null : this.#first;
    if (question === null) return;
    this.#cancel = this.#host.ask(question, (answer) => {
      this.answer.value = this.#add(this.answer.peek() ?? this.#first, answer);
    });
  }
}
