/** Stored answers of the user, kept until forgotten. */

import * as z from "zod";
import { Emitter } from "../../core/util/emitter.ts";
import type { Memento } from "../vscode/memento.ts";

export interface AnswerMemoryOptions<Question, Answer extends Question> {
  readonly memory: Memento;
  readonly key: string;
  readonly schema: z.ZodType<Answer>;
  /** Equal for equal questions. */
  readonly idOf: (question: Question) => string;
}

export function answerMemory<Question, Answer extends Question>({
  memory,
  key,
  schema,
  idOf,
}: AnswerMemoryOptions<Question, Answer>) {
  const asking = new Map<string, Promise<boolean>>();
  const changed = new Emitter<void>();
  const list = (): readonly Answer[] =>
    (z.array(z.unknown()).safeParse(memory.get(key)).data ?? []).flatMap(
      (each) => schema.safeParse(each).data ?? [],
    );
  const others = (question: Question): readonly Answer[] =>
    list().filter((answer) => idOf(answer) !== idOf(question));
  const store = async (answers: readonly Answer[]): Promise<void> => {
    await memory.update(key, answers);
    changed.fire();
  };
  return {
    onDidChange: changed.event,
    list,
    find: (question: Question): Answer | undefined =>
      list().find((answer) => idOf(answer) === idOf(question)),
    /** Stores an answer, replacing an earlier one to the same question. */
    keep: (answer: Answer): Promise<void> => store([...others(answer), answer]),
    forget: (question: Question): Promise<void> => store(others(question)),
    /** Shares a prompt for the same question that is already open. */
    ask: async (question: Question, ask: () => Promise<boolean>): Promise<boolean> => {
      const id = idOf(question);
      const answered = asking.get(id) ?? ask();
      asking.set(id, answered);
      try {
        return await answered;
      } finally {
        asking.delete(id);
      }
    },
  };
}
