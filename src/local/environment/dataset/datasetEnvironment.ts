/** The environment of a dataset: one question, one answer, reward 1 if it is correct. */

import type { JsonObject } from "../../../core/json.ts";
import { answerTool } from "../answerTool.ts";
import { defineEnvironment, type EnvironmentDefinition } from "../environment.ts";
import type { DatasetRow } from "./datasetRows.ts";
import { listChoices } from "./graders/choice.ts";
import type { Grader } from "./graders/grader.ts";

export interface DatasetOptions {
  /** Name in the API, such as `dataset` or `dataset:algebra`. */
  readonly name: string;
  /** Display name of the file. */
  readonly file: string;
  readonly splits: ReadonlyMap<string, readonly DatasetRow[]>;
  readonly grader: Grader;
  /** True if the prompt explains the answer format and what is ignored. */
  readonly isRuleInPrompt: boolean;
}

const TOOL = "answer";
const HOW_TO_ANSWER = `Call \`${TOOL}\`, or write the answer alone on the last line.`;

type Task = DatasetRow & JsonObject;

export function datasetEnvironment(options: DatasetOptions): EnvironmentDefinition {
  const { name, file, splits, grader, isRuleInPrompt } = options;
  const rule = isRuleInPrompt ? `\n\n${HOW_TO_ANSWER} ${grader.rule}` : "";
  return defineEnvironment<Task, Task>({
    name,
    description: `Answer the questions of ${file}.`,
    splits: Object.fromEntries([...splits].map(([split, rows]) => [split, rows.length])),
    // The server only requests existing tasks.
    task: (split, index) => splits.get(split)?.[index] as Task,
    start: (task) => task,
    system: ({ system }) => system,
    prompt: ({ question, choices }) =>
      `${question}${choices === null ? "" : `\n\n${listChoices(choices)}`}${rule}`,
    tools: {
      [TOOL]: answerTool(
        "Give the final answer. Ends the episode.",
        (answer, task) => grader.isRight(answer, task),
        (task) => ({ right_answer: task.answer }),
      ),
    },
    terminalTool: { name: TOOL, arg: "value" },
  });
}
