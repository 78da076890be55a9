/**
 * Reads messages and tools in OpenAI's chat format and reports errors by column. Format:
 * https://platform.openai.com/docs/api-reference/chat/create.
 */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { assertNever } from "../errors.ts";
import { type ImageFile, imageAddress } from "../images/imageFile.ts";
import { imageIndex } from "../images/imageIds.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  ExactNumber,
  isExactObject,
  parseExactObject,
  writeExactJson,
} from "../util/exactJson.ts";
import { type Content, contentOfParts, type ImagePart, partsOf } from "./content.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "./renderer.ts";

/** An error at a column such as `messages[2].content`. */
export class ColumnError extends Error {
  readonly column: string;

  constructor(column: string, reason: string) {
    super(reason);
    this.column = column;
  }
}

/** Rules that differ between callers. */
export interface MessageRules {
  /** Why non-text content parts are refused, as the end of a sentence. */
  readonly onlyText: string;
  /** Reads an `image_url` part of a user or tool message; absent = images are refused. @throws ColumnError */
  readonly image?: (part: JsonObject, column: string) => ImagePart;
  /** True if an assistant message may have neither content nor calls. */
  readonly allowsSilence: boolean;
  /** Checks each message and returns it as the caller wants it. @throws ColumnError */
  readonly refine?: (message: InitialMessage, source: MessageSource) => InitialMessage;
}

/** Where a message comes from. */
export interface MessageSource {
  readonly given: JsonObject;
  readonly before: InitialMessage | undefined;
  readonly column: string;
}

/** @throws ColumnError */
export function readMessages(given: unknown, rules: MessageRules): readonly InitialMessage[] {
  if (!Array.isArray(given)) {
    throw new ColumnError("messages", `expected a list of messages, got ${shown(given)}`);
  }
  const calls = new Map<string, string>();
  const messages: InitialMessage[] = [];
  for (const [i, message] of given.entries()) {
    const column = `messages[${i}]`;
    if (!isJsonObject(message)) {
      throw new ColumnError(
        column,
        `expected an object with role and content, got ${shown(message)}`,
      );
    }
    const read = readMessage(message, { column, calls, rules });
    const source = { given: message, before: messages.at(-1), column };
    messages.push(rules.refine?.(read, source) ?? read);
    if (read.role !== "assistant") continue;
    for (const { id, name } of read.calls) calls.set(id, name);
  }
  return messages;
}

interface MessageContext {
  readonly column: string;
  /** Tool names of earlier calls, by call id. */
  readonly calls: ReadonlyMap<string, string>;
  readonly rules: MessageRules;
}

function readMessage(message: JsonObject, context: MessageContext): InitialMessage {
  const { role } = message;
  const { column, calls } = context;
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: textIn(message, context) };
    case "user":
      return { role, ...contentIn(message, context) };
    case "assistant":
      return readAssistant(message, context);
    case "tool": {
      const callId = message["tool_call_id"];
      const name = typeof callId === "string" ? calls.get(callId) : undefined;
      if (typeof callId !== "string" || name === undefined) {
        const reason = `expected the id of an earlier call, got ${shown(callId)}`;
        throw new ColumnError(`${column}.tool_call_id`, reason);
      }
      return { role, name, callId, ...contentIn(message, context) };
    }
    default: {
      const reason = `expected system, developer, user, assistant or tool, got ${shown(role)}`;
      throw new ColumnError(`${column}.role`, reason);
    }
  }
}

function readAssistant(message: JsonObject, context: MessageContext): AssistantMessage {
  const { column, calls: before, rules } = context;
  const { tool_calls: given, content, reasoning_content, reasoning } = message;
  if (message["function_call"] != null) {
    const reason = "this is the older form of a call; write it as a list of tool_calls";
    throw new ColumnError(`${column}.function_call`, reason);
  }
  const thought = reasoning_content ?? reasoning ?? null;
  if (thought !== null && typeof thought !== "string") {
    const key = reasoning_content == null ? "reasoning" : "reasoning_content";
    throw new ColumnError(`${column}.${key}`, `expected text, got ${shown(thought)}`);
  }
  if (given != null && !Array.isArray(given)) {
    throw new ColumnError(`${column}.tool_calls`, `expected a list of calls, got ${shown(given)}`);
  }
  const calls = (given ?? []).map((call, i) =>
    readCall(call, `${column}.tool_calls[${i}]`, before.size + i),
  );
  const isSilent = content == null && (calls.length > 0 || rules.allowsSilence);
  const text = isSilent ? "" : textIn(message, context);
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
    throw new ColumnError(`${column}.function`, reason);
  }
  const { name, arguments: given } = own;
  if (typeof name !== "string" || name === "") {
    const reason = `expected the name of a tool, got ${shown(name)}`;
    throw new ColumnError(`${column}.function.name`, reason);
  }
  const args = readArguments(given);
  if (args === null) {
    const reason = `expected a JSON object as text, got ${shown(given)}`;
    throw new ColumnError(`${column}.function.arguments`, reason);
  }
  const { id } = call;
  return { id: typeof id === "string" ? id : `call_${number}`, name, args };
}

/** Accepts text, as OpenAI sends it, or the object itself. Some servers send an empty text for a call without arguments. */
export function readArguments(given: unknown): ExactJsonObject | null {
  if (typeof given === "string") return parseExactObject(given.trim() || "{}");
  return isExactObject(given) ? given : null;
}

function textIn(message: JsonObject, context: MessageContext): string {
  const { image: _, ...onlyTexts } = context.rules;
  return contentIn(message, { ...context, rules: onlyTexts }).content;
}

/** Joins the parts of a list. */
function contentIn({ content }: JsonObject, { column, rules }: MessageContext): Content {
  if (typeof content === "string") return { content };
  const path = `${column}.content`;
  if (!Array.isArray(content)) throw new ColumnError(path, `expected text, got ${shown(content)}`);
  return contentOfParts(
    content.map((part, i) => {
      const type = isJsonObject(part) ? part["type"] : undefined;
      if (isJsonObject(part) && type === "text" && typeof part["text"] === "string") {
        return part["text"];
      }
      if (isJsonObject(part) && type === "image_url" && rules.image !== undefined) {
        return rules.image(part, `${path}[${i}]`);
      }
      const reason = `expected a part of type text, got ${shown(part)}; ${rules.onlyText}`;
      throw new ColumnError(`${path}[${i}]`, reason);
    }),
  );
}

/** The inverse of {@link readMessages}; `images` are indexed by the ids in the message. */
export function messageJson(
  message: InitialMessage,
  images: readonly ImageFile[],
): ExactJsonObject {
  const { role } = message;
  const content = contentJson(message, images);
  switch (role) {
    case "system":
    case "user":
      return { role, content };
    case "tool":
      return { role, tool_call_id: message.callId, content };
    case "assistant": {
      const { reasoning, calls } = message;
      const made = calls.map(({ id, name, args }) => {
        return { id, type: "function", function: { name, arguments: writeExactJson(args) } };
      });
      return withoutUndefined({
        role,
        content: content === "" && made.length > 0 ? null : content,
        reasoning_content: reasoning ?? undefined,
        tool_calls: made.length === 0 ? undefined : made,
      });
    }
    default:
      return assertNever(role);
  }
}

function contentJson(content: Content, images: readonly ImageFile[]): ExactJson {
  if (content.images === undefined) return content.content;
  return partsOf(content).map((part) => {
    if (typeof part === "string") return { type: "text", text: part };
    const file = images[imageIndex(part.id)];
    return { type: "image_url", image_url: { url: file === undefined ? "" : imageAddress(file) } };
  });
}

/** @throws ColumnError */
export function readTools(given: unknown): readonly ToolDeclaration[] {
  if (!Array.isArray(given)) {
    throw new ColumnError("tools", `expected a list of tools, got ${shown(given)}`);
  }
  return given.map((tool, i) => {
    const own = isJsonObject(tool) ? (tool["function"] ?? tool) : undefined;
    const column = `tools[${i}]`;
    if (!isJsonObject(own)) {
      throw new ColumnError(column, `expected an object with a function, got ${shown(tool)}`);
    }
    const type = isJsonObject(tool) ? (tool["type"] ?? "function") : "function";
    if (type !== "function") {
      throw new ColumnError(
        `${column}.type`,
        `${shown(type)} is not supported, only "function" is`,
      );
    }
    const { name, description, parameters } = own;
    return declaration({ name, description, parameters }, `${column}.function`);
  });
}

/** Builds a tool declaration from its fields; `column` locates them in errors. @throws ColumnError */
export function declaration(
  given: Readonly<Record<"name" | "description" | "parameters", unknown>>,
  column: string,
  schemaKey = "parameters",
): ToolDeclaration {
  const { name, description, parameters } = given;
  if (typeof name !== "string" || name === "") {
    throw new ColumnError(`${column}.name`, `expected a name, got ${shown(name)}`);
  }
  if (description != null && typeof description !== "string") {
    throw new ColumnError(`${column}.description`, `expected text, got ${shown(description)}`);
  }
  if (parameters != null && !isExactObject(parameters)) {
    const reason = `expected a JSON Schema, got ${shown(parameters)}`;
    throw new ColumnError(`${column}.${schemaKey}`, reason);
  }
  return {
    type: "function",
    function: {
      name,
      description: description ?? "",
      parameters: parameters ?? { type: "object", properties: {} },
    },
  };
}

/** Formats a value for an error message. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = value instanceof ExactNumber ? value.text : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
