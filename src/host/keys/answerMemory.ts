/** Stored answers of the user, kept until forgotten. */

import { Emitter } from "../../core/util/emitter.ts";
import type { Memento } from "../vscode/memento.ts";

export interface AnswerMemoryOptions<Question, Answer extends Question> {
  readonly memory: Memento;
  readonly key: string;
  readonly isAnswer: (stored: unknown) => stored is Answer;
  /** Equal for equal questions. */
  readonly idOf: (question: Question) => string;
}

export class AnswerMemory<Question, Answer extends Question> {
  readonly #options: AnswerMemoryOptions<Question, Answer>;
  readonly #asking = new Map<string, Promise<boolean>>();
  readonly #changed = new Emitter<void>();

  constructor(options: AnswerMemoryOptions<Question, Answer>) {
    this.#options = options;
  }

  readonly onDidChange = this.#changed.event;

  list(): readonly Answer[] {
    const { memory, key, isAnswer } = this.#options;
    const stored = memory.get(key);
    return Array.isArray(stored) ? stored.filter(isAnswer) : [];
  }

  find(question: Question): Answer | undefined {
    const { idOf } = this.#options;
    return this.list().find((answer) => idOf(answer) === idOf(question));
  }

  /** Stores an answer, replacing an earlier one to the same question. */
  async keep(answer: Answer): Promise<void> {
    await this.#store([...this.#others(answer), answer]);
  }

  async forget(question: Question): Promise<void> {
    await this.#store(this.#others(question));
  }

  /** Shares a prompt for the same question that is already open. */
  async ask(question: Question, ask: () => Promise<boolean>): Promise<boolean> {
    const id = this.#options.idOf(question);
    const asking = this.#asking.get(id) ?? ask();
    this.#asking.set(id, asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(id);
    }
  }

  #others(question: Question): readonly Answer[] {
    const { idOf } = this.#options;
    return this.list().filter((answer) => idOf(answer) !== idOf(question));
  }

  async #store(answers: readonly Answer[]): Promise<void> {
    await this.#options.memory.update(this.#options.key, answers);
    this.#changed.fire();
  }
}
