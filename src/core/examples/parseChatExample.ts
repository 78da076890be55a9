/** Parses a conversation in OpenAI's chat format for imitation. Errors name the column. */

import { taskId } from "../../shared/taskId.ts";
import { withResultsInOrder } from "../chat/callOrder.ts";
import {
  ColumnError,
  type MessageSource,
  readMessages,
  readTools,
  shown,
} from "../chat/openaiMessages.ts";
import type { AssistantMessage, InitialMessage } from "../chat/renderer.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { type ChatExample, EXAMPLE_SPLITS } from "./example.ts";
import { REASONING_TAG, withReasoning } from "./reasoningInContent.ts";

/** A column such as `messages[2].content`, and its problem. */
export interface ColumnProblem {
  readonly column: string;
  readonly reason: string;
}

/** The example on a line of JSON, or its first problem. */
export function parseChatExample(line: unknown): ChatExample | ColumnProblem {
  try {
    return readExample(line);
  } catch (error) {
    if (error instanceof ColumnError) return { column: error.column, reason: error.message };
    throw error;
  }
}

function readExample(line: unknown): ChatExample {
  if (!isJsonObject(line)) {
    throw new ColumnError("", `expected an object with messages, got ${shown(line)}`);
  }
  const { messages: given } = line;
  if (given === undefined) {
    const reason = `expected a list of messages, got nothing, in a line with ${keysOf(line)}`;
    throw new ColumnError("messages", reason);
  }
  // Tables exported as JSONL have null for missing values.
  const tools = line["tools"] ?? [];
  const split = line["split"] ?? "train";
  const known = EXAMPLE_SPLITS.find((name) => name === split);
  if (known === undefined) {
    throw new ColumnError("split", `expected train, held_out or test, got ${shown(split)}`);
  }
  const messages = withoutTail(
    readMessages(given, {
      onlyText: "only text can be trained on",
      allowsSilence: false,
      refine: (message, source) => {
        requireTrainable(message.role === "assistant" ? read(message, source) : message, source);
        return message.role === "assistant" ? weighted(message, source) : message;
      },
    }),
  );
  if (messages.length < 2) {
    throw new ColumnError("messages", "there is no message of the assistant to imitate");
  }
  return {
    messages: withResultsInOrder(messages, (index) => `messages[${index}]`),
    tools: readTools(tools),
    split: known,
    task: taskOf(line),
  };
}

/** Null if the line does not have all three columns of an exported rollout. */
function taskOf({ environment, task_split: split, task_index: index }: JsonObject): string | null {
  if (typeof environment !== "string" || typeof split !== "string") return null;
  return typeof index === "number" ? taskId({ environment, split, index }) : null;
}

/** Removes everything after the last trained turn of the model. */
function withoutTail(messages: readonly InitialMessage[]): readonly InitialMessage[] {
  const last = messages.findLastIndex((message) => {
    return message.role === "assistant" && message.isTrained !== false;
  });
  return messages.slice(0, last + 1);
}

function read(message: AssistantMessage, { column }: MessageSource): AssistantMessage {
  const turn = withReasoning(message);
  if (turn !== null) return turn;
  const reason = `${REASONING_TAG} is never closed; write the reasoning as reasoning_content`;
  throw new ColumnError(`${column}.content`, reason);
}

/** `weight` is a field of OpenAI's fine-tuning files. */
function weighted(message: AssistantMessage, source: MessageSource): AssistantMessage {
  const weight = source.given["weight"] ?? 1;
  if (weight === 1) return message;
  if (weight === 0) return { ...message, isTrained: false };
  throw new ColumnError(`${source.column}.weight`, `expected 0 or 1, got ${shown(weight)}`);
}

function requireTrainable(message: InitialMessage, { before, column }: MessageSource): void {
  const { role } = message;
  const role0 = before?.role ?? null;
  if (role === "assistant" && message.content.trim() === "" && message.calls.length === 0) {
    throw new ColumnError(`${column}.content`, "the assistant says nothing and calls nothing");
  }
  if (role === "assistant") requireIds(message, column);
  if (role === "system" && role0 !== null) {
    throw new ColumnError(`${column}.role`, "only the first message can be a system message");
  }
  if (role === "assistant" && (role0 === null || role0 === "assistant")) {
    const reason =
      role0 === null
        ? "the assistant cannot speak first, because it learns to answer"
        : "the assistant speaks twice in a row; make one message of both";
    throw new ColumnError(`${column}.role`, reason);
  }
  if (role === "tool" && role0 !== "assistant" && role0 !== "tool") {
    throw new ColumnError(`${column}.role`, "a result must follow the call of the assistant");
  }
}

function requireIds({ calls }: AssistantMessage, column: string): void {
  const double = calls.findIndex(({ id }, i) => calls.some((call, j) => j < i && call.id === id));
  if (double < 0) return;
  const reason = `a call before it has the same id, ${shown(calls[double]?.id)}`;
  throw new ColumnError(`${column}.tool_calls[${double}].id`, reason);
}

/** The first keys of a line, to show what it contains instead. */
function keysOf(line: JsonObject): string {
  const keys = Object.keys(line);
  return keys.length === 0 ? "no key" : keys.slice(0, 5).map(shown).join(", ");
}
