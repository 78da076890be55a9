/**
 * Reads a conversation in OpenAI's chat format, with what is wrong in it by column. Source of the format:
 * https://platform.openai.com/docs/api-reference/chat/create.
 */

import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../chat/renderer.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { type ExactJsonObject, isExactObject, parseExactObject } from "../util/exactJson.ts";
import { type ChatExample, EXAMPLE_SPLITS } from "./example.ts";

/** A column such as `messages[2].content`, and what is wrong there. */
export interface ColumnProblem {
  readonly column: string;
  readonly reason: string;
}

class Refusal extends Error {
  readonly column: string;

  constructor(column: string, reason: string) {
    super(reason);
    this.column = column;
  }
}

/** The example of a line of JSON, or the first thing that is wrong with it. */
export function parseChatExample(line: unknown): ChatExample | ColumnProblem {
  try {
    return readExample(line);
  } catch (error) {
    if (error instanceof Refusal) return { column: error.column, reason: error.message };
    throw error;
  }
}

function readExample(line: unknown): ChatExample {
  if (!isJsonObject(line)) {
    throw new Refusal("", `expected an object with messages, got ${shown(line)}`);
  }
  const { messages: given } = line;
  // Tables that are written as JSONL have null where a row has nothing.
  const tools = line["tools"] ?? [];
  const split = line["split"] ?? "train";
  const known = EXAMPLE_SPLITS.find((name) => name === split);
  if (known === undefined) {
    throw new Refusal("split", `expected train, held_out or test, got ${shown(split)}`);
  }
  if (!Array.isArray(given)) {
    const has = given === undefined ? `, in a line with ${keysOf(line)}` : "";
    throw new Refusal("messages", `expected a list of messages, got ${shown(given)}${has}`);
  }
  const messages = withoutTail(readMessages(given));
  if (messages.length < 2) {
    throw new Refusal("messages", "there is no message of the assistant to imitate");
  }
  return { messages, tools: readTools(tools), split: known };
}

/** Without what follows the last turn of the model, which nothing is trained behind. */
function withoutTail(messages: readonly InitialMessage[]): readonly InitialMessage[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);
}

function readMessages(given: readonly unknown[]): readonly InitialMessage[] {
  const calls = new Map<string, string>();
  const messages: InitialMessage[] = [];
  for (const [i, message] of given.entries()) {
    const column = `messages[${i}]`;
    if (!isJsonObject(message)) {
      throw new Refusal(column, `expected an object with role and content, got ${shown(message)}`);
    }
    const read = readMessage(message, column, calls);
    requireOrder(read, messages.at(-1), column);
    messages.push(read);
    if (read.role !== "assistant") continue;
    for (const { id, name } of read.calls) calls.set(id, name);
  }
  return messages;
}

function readMessage(
  message: JsonObject,
  column: string,
  calls: ReadonlyMap<string, string>,
): InitialMessage {
  const { role } = message;
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: textIn(message, column) };
    case "user":
      return { role, content: textIn(message, column) };
    case "assistant":
      return readAssistant(message, column, calls.size);
    case "tool": {
      const callId = message["tool_call_id"];
      const name = typeof callId === "string" ? calls.get(callId) : undefined;
      if (typeof callId !== "string" || name === undefined) {
        const reason = `expected the id of an earlier call, got ${shown(callId)}`;
        throw new Refusal(`${column}.tool_call_id`, reason);
      }
      return { role, name, callId, content: textIn(message, column) };
    }
    default: {
      const reason = `expected system, developer, user, assistant or tool, got ${shown(role)}`;
      throw new Refusal(`${column}.role`, reason);
    }
  }
}

function readAssistant(message: JsonObject, column: string, callsBefore: number): AssistantMessage {
  const { tool_calls: given, content, reasoning_content, reasoning } = message;
  if (message["function_call"] != null) {
    const reason = "this is the older form of a call; write it as a list of tool_calls";
    throw new Refusal(`${column}.function_call`, reason);
  }
  const thought = reasoning_content ?? reasoning ?? null;
  if (thought !== null && typeof thought !== "string") {
    const key = reasoning_content == null ? "reasoning" : "reasoning_content";
    throw new Refusal(`${column}.${key}`, `expected text, got ${shown(thought)}`);
  }
  if (given != null && !Array.isArray(given)) {
    throw new Refusal(`${column}.tool_calls`, `expected a list of calls, got ${shown(given)}`);
  }
  const calls = (given ?? []).map((call, i) =>
    readCall(call, `${column}.tool_calls[${i}]`, callsBefore + i),
  );
  const double = calls.findIndex(({ id }, i) => calls.some((call, j) => j < i && call.id === id));
  if (double >= 0) {
    const place = `${column}.tool_calls[${double}].id`;
    throw new Refusal(place, `a call before it has the same id, ${shown(calls[double]?.id)}`);
  }
  const text = content == null && calls.length > 0 ? "" : textIn(message, column);
  if (text.trim() === "" && calls.length === 0) {
    throw new Refusal(`${column}.content`, "the assistant says nothing and calls nothing");
  }
  return { role: "assistant", content: text, reasoning: thought, calls };
}

function readCall(
  call: unknown,
  column: string,
  number: number,
): AssistantMessage["calls"][number] {
  const own = isJsonObject(call) ? call["function"] : undefined;
  if (!isJsonObject(call) || !isJsonObject(own)) {
    const reason = `expected an object with name and arguments, got ${shown(own)}`;
    throw new Refusal(`${column}.function`, reason);
  }
  const { name, arguments: given } = own;
  if (typeof name !== "string" || name === "") {
    throw new Refusal(`${column}.function.name`, `expected the name of a tool, got ${shown(name)}`);
  }
  const args = readArguments(given);
  if (args === null) {
    const reason = `expected a JSON object as text, got ${shown(given)}`;
    throw new Refusal(`${column}.function.arguments`, reason);
  }
  const { id } = call;
  return { id: typeof id === "string" ? id : `call_${number}`, name, args };
}

/** As text, as OpenAI has it, or as the object itself. */
function readArguments(given: unknown): ExactJsonObject | null {
  if (typeof given === "string") return parseExactObject(given);
  return isExactObject(given) ? given : null;
}

/** Texts of a list of parts are joined. */
function textIn(message: JsonObject, column: string): string {
  const { content } = message;
  if (typeof content === "string") return content;
  const place = `${column}.content`;
  if (!Array.isArray(content)) throw new Refusal(place, `expected text, got ${shown(content)}`);
  return content
    .map((part, i) => {
      const text = isJsonObject(part) && part["type"] === "text" ? part["text"] : undefined;
      if (typeof text === "string") return text;
      const reason = `expected a part of type text, got ${shown(part)}; only text can be trained on`;
      throw new Refusal(`${place}[${i}]`, reason);
    })
    .join("");
}

function requireOrder(
  message: InitialMessage,
  before: InitialMessage | undefined,
  column: string,
): void {
  const { role } = message;
  const role0 = before?.role ?? null;
  if (role === "system" && role0 !== null) {
    throw new Refusal(`${column}.role`, "a system message can only be the first");
  }
  if (role === "assistant" && (role0 === null || role0 === "assistant")) {
    const reason =
      role0 === null
        ? "the assistant cannot speak first, because it learns to answer"
        : "the assistant speaks twice in a row; make one message of both";
    throw new Refusal(`${column}.role`, reason);
  }
  if (role === "tool" && role0 !== "assistant" && role0 !== "tool") {
    throw new Refusal(`${column}.role`, "a result must follow the call of the assistant");
  }
}

function readTools(given: unknown): readonly ToolDeclaration[] {
  if (!Array.isArray(given)) {
    throw new Refusal("tools", `expected a list of tools, got ${shown(given)}`);
  }
  return given.map((tool, i) => {
    const own = isJsonObject(tool) ? (tool["function"] ?? tool) : undefined;
    const column = `tools[${i}]`;
    if (!isJsonObject(own)) {
      throw new Refusal(column, `expected an object with a function, got ${shown(tool)}`);
    }
    const { name, description = "", parameters = { type: "object", properties: {} } } = own;
    if (typeof name !== "string" || name === "") {
      throw new Refusal(`${column}.function.name`, `expected a name, got ${shown(name)}`);
    }
    if (typeof description !== "string") {
      const reason = `expected text, got ${shown(description)}`;
      throw new Refusal(`${column}.function.description`, reason);
    }
    if (!isExactObject(parameters)) {
      const reason = `expected a JSON Schema, got ${shown(parameters)}`;
      throw new Refusal(`${column}.function.parameters`, reason);
    }
    return { type: "function", function: { name, description, parameters } };
  });
}

/** The first keys of a line, to see what it is instead. */
function keysOf(line: JsonObject): string {
  const keys = Object.keys(line);
  return keys.length === 0 ? "no key" : keys.slice(0, 5).map(shown).join(", ");
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
