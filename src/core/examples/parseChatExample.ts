/** Reads a conversation in OpenAI's chat format to imitate, with what is wrong in it by column. */

import { ColumnError, readMessages, readTools, shown } from "../chat/openaiMessages.ts";
import type { InitialMessage } from "../chat/renderer.ts";
import { isJsonObject } from "../json.ts";
import { type ChatExample, EXAMPLE_SPLITS } from "./example.ts";

/** A column such as `messages[2].content`, and what is wrong there. */
export interface ColumnProblem {
  readonly column: string;
  readonly reason: string;
}

/** The example of a line of JSON, or the first thing that is wrong with it. */
export function parseChatExample(line: unknown): ChatExample | ColumnProblem {
  try {
    return readExample(line);
  } catch (error) {
    if (error instanceof ColumnError) return { column: error.column, reason: error.message };
    throw error;
  }
}

function readExample(line: unknown): ChatExample {
  if (!isJsonObject(line)) throw new ColumnError("", "the line is not a JSON object");
  const { messages: given, tools = [], split = "train" } = line;
  const known = EXAMPLE_SPLITS.find((name) => name === split);
  if (known === undefined) {
    throw new ColumnError("split", `expected ${EXAMPLE_SPLITS.join(", ")}, got ${shown(split)}`);
  }
  const messages = withoutTail(
    readMessages(given, {
      onlyText: "only parts of type text can be trained on",
      allowsSilence: false,
      check: requireTrainable,
    }),
  );
  if (messages.length < 2) {
    throw new ColumnError("messages", "there is no message of the assistant to imitate");
  }
  return { messages, tools: readTools(tools), split: known };
}

/** Without what follows the last turn of the model, which nothing is trained behind. */
function withoutTail(messages: readonly InitialMessage[]): readonly InitialMessage[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

function requireTrainable(
  message: InitialMessage,
  before: InitialMessage | undefined,
  column: string,
): void {
  const { role } = message;
  const role0 = before?.role ?? null;
  if (role === "assistant" && message.content.trim() === "" && message.calls.length === 0) {
    throw new ColumnError(`${column}.content`, "the assistant says nothing and calls nothing");
  }
  if (role === "system" && role0 !== null) {
    throw new ColumnError(`${column}.role`, "a system message can only be the first");
  }
  if (role === "assistant" && (role0 === null || role0 === "assistant")) {
    const where = role0 === null ? "before the first" : "between two of";
    throw new ColumnError(`${column}.role`, `a message must stand ${where} the assistant's`);
  }
  if (role === "tool" && role0 !== "assistant" && role0 !== "tool") {
    throw new ColumnError(`${column}.role`, "a result must follow the call of the assistant");
  }
}
