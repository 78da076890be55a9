/**
 * Anthropic's Messages API: https://docs.anthropic.com/en/api/messages, and its streams:
 * https://docs.anthropic.com/en/api/messages-streaming.
 */

import { contentOfParts, type ImagePart } from "../chat/content.ts";
import { ColumnError, declaration, shown } from "../chat/openaiMessages.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../chat/renderer.ts";
import { toolErrorText } from "../rollout/feedback.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  writeExactJson,
} from "../util/exactJson.ts";
import type { AnsweredTurn } from "./answeredTurn.ts";
import type { PolicyTurn } from "./endpointModel.ts";
import {
  ACCEPTED_CONTENT,
  type EndpointRequest,
  orderedMessages,
  toolChoiceRefusal,
} from "./endpointRequest.ts";
import { type AnswerFacts, requireTextSettings } from "./openaiChat.ts";
import { endpointRefusal, type RequestRefusal } from "./refusal.ts";
import { RequestFields, stringAt } from "./requestFields.ts";
import { RequestImages } from "./requestImages.ts";
import { MAX_STOP_TEXTS, samplingIn } from "./samplingFields.ts";

export interface MessagesRequest extends EndpointRequest {
  readonly isStreamed: boolean;
}

/** Keys without an effect on what the model writes; its chat format decides whether it reasons. */
const WITHOUT_EFFECT =
  "model metadata service_tier thinking cache_control context_management".split(" ");

/** `body` is as returned by `parseExactJson`. @throws ColumnError, AppError `endpoint-refused` */
export function readMessagesRequest(body: unknown): MessagesRequest {
  const fields = new RequestFields(body);
  fields.ignore(...WITHOUT_EFFECT);
  requireTextSettings(fields, { key: "output_config", ignored: "effort", place: "messages" });
  const system = systemIn(fields.value("system"));
  const given = fields.value("messages");
  if (!Array.isArray(given)) throw new ColumnError("messages", "expected a list of messages");
  const reading: Reading = { names: new Map(), images: new RequestImages() };
  const said = given.flatMap((message, i) => {
    const column = `messages[${i}]`;
    return messagesIn(message, column, reading).map((read) => ({ column, read }));
  });
  const all = [...system.map((read) => ({ column: "system", read })), ...said];
  const declared = toolsIn(fields.value("tools") ?? []);
  const { hidesTools, ...chosen } = toolChoice(fields.value("tool_choice"));
  const request: MessagesRequest = {
    messages: orderedMessages(
      all.map(({ read }) => read),
      (index) => all[index]?.column ?? "messages",
    ),
    images: reading.images.all,
    tools: hidesTools ? [] : declared,
    ...chosen,
    sampling: samplingIn(fields, ["max_tokens"], 1),
    stopTexts: fields.texts("stop_sequences", MAX_STOP_TEXTS),
    isStreamed: fields.flag("stream") ?? false,
  };
  fields.refuseOthers();
  return request;
}

/** What is known from earlier messages. */
interface Reading {
  /** Tool names by call id. */
  readonly names: Map<string, string>;
  readonly images: RequestImages;
}

function systemIn(given: unknown): readonly InitialMessage[] {
  if (given === undefined) return [];
  const content = textIn(given, "system");
  return content === "" ? [] : [{ role: "system", content }];
}

/** Tool results become separate messages before the user's own text. */
function messagesIn(message: unknown, column: string, reading: Reading): readonly InitialMessage[] {
  if (!isExactObject(message)) throw new ColumnError(column, "expected an object");
  const { role, content } = message;
  const place = `${column}.content`;
  if (role === "assistant") {
    const read = assistantMessage(blocksOf(content, place), place);
    for (const { id, name } of read.calls) reading.names.set(id, name);
    return [read];
  }
  if (role !== "user") {
    throw new ColumnError(`${column}.role`, `expected user or assistant, got ${shown(role)}`);
  }
  const blocks = blocksOf(content, place);
  const results = blocks.flatMap((block, i): readonly InitialMessage[] => {
    return block["type"] === "tool_result" ? [toolResult(block, `${place}[${i}]`, reading)] : [];
  });
  const parts = blocks.flatMap((block, i) =>
    block["type"] === "tool_result" ? [] : [partOf(block, `${place}[${i}]`, reading.images)],
  );
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { role, ...contentOfParts(parts) }];
}

/** Treats plain text as a single block. */
function blocksOf(content: unknown, column: string): readonly ExactJsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) {
    throw new ColumnError(column, `expected text or a list of blocks, got ${shown(content)}`);
  }
  return content.map((block, i) => {
    if (isExactObject(block)) return block;
    throw new ColumnError(`${column}[${i}]`, `expected a block, got ${shown(block)}`);
  });
}

function assistantMessage(blocks: readonly ExactJsonObject[], column: string): AssistantMessage {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: AssistantMessage["calls"][number][] = [];
  for (const [i, block] of blocks.entries()) {
    const place = `${column}[${i}]`;
    switch (block["type"]) {
      case "thinking":
        thoughts.push(stringAt(block, "thinking", place));
        break;
      case "tool_use": {
        const { input: args } = block;
        if (!isExactObject(args)) {
          throw new ColumnError(`${place}.input`, `expected an object, got ${shown(args)}`);
        }
        calls.push({
          id: stringAt(block, "id", place),
          name: stringAt(block, "name", place),
          args,
        });
        break;
      }
      default:
        texts.push(textOf(block, place));
    }
  }
  const reasoning = thoughts.length === 0 ? null : thoughts.join("\n\n");
  return { role: "assistant", content: texts.join(""), reasoning, calls };
}

function toolResult(
  block: ExactJsonObject,
  column: string,
  { names, images }: Reading,
): InitialMessage {
  const callId = stringAt(block, "tool_use_id", column);
  const name = names.get(callId);
  if (name === undefined) {
    const reason = `expected the id of an earlier tool_use, got ${shown(callId)}`;
    throw new ColumnError(`${column}.tool_use_id`, reason);
  }
  const { content, is_error: isError } = block;
  const place = `${column}.content`;
  const parts = blocksOf(content ?? "", place).map((own, i) =>
    partOf(own, `${place}[${i}]`, images),
  );
  const marked = isError === true ? [toolErrorText(""), ...parts] : parts;
  return { role: "tool", name, callId, ...contentOfParts(marked) };
}

function partOf(block: ExactJsonObject, column: string, images: RequestImages) {
  return block["type"] === "image" ? imageIn(block, column, images) : textOf(block, column);
}

/** https://docs.anthropic.com/en/docs/build-with-claude/vision */
function imageIn({ source }: ExactJsonObject, column: string, images: RequestImages): ImagePart {
  const { type, data } = isExactObject(source) ? source : {};
  if (type === "base64" && typeof data === "string") return images.add(data, column);
  const reason = `expected the image itself as base64, got ${shown(source)}`;
  throw new ColumnError(`${column}.source`, reason);
}

/** Joins the texts of all blocks. */
function textIn(content: unknown, column: string): string {
  return blocksOf(content, column)
    .map((block, i) => textOf(block, `${column}[${i}]`))
    .join("");
}

function textOf(block: ExactJsonObject, column: string): string {
  if (block["type"] === "text") return stringAt(block, "text", column);
  throw new ColumnError(column, `${ACCEPTED_CONTENT}, got ${shown(block["type"])}`);
}

function toolsIn(given: unknown): readonly ToolDeclaration[] {
  if (!Array.isArray(given)) throw new ColumnError("tools", "expected a list of tools");
  return given.map((tool, i) => {
    const column = `tools[${i}]`;
    if (!isExactObject(tool)) throw new ColumnError(column, "expected an object");
    const { type = "custom", name, description, input_schema: parameters } = tool;
    if (type === null || type === "custom") {
      return declaration({ name, description, parameters }, column, "input_schema");
    }
    throw endpointRefusal(
      `${column}.type: ${shown(type)} is a tool that runs on Anthropic's servers, not here. Declare a tool of your own with an input_schema.`,
      { param: `${column}.type` },
    );
  });
}

function toolChoice(
  given: unknown,
): Pick<EndpointRequest, "oneCall" | "wantsCall"> & { readonly hidesTools: boolean } {
  if (given === undefined) return { hidesTools: false, oneCall: false, wantsCall: false };
  const choice = new RequestFields(given, "tool_choice.");
  const type = choice.text("type");
  if (type === "auto" || type === "any" || type === "none") {
    const oneCall = choice.flag("disable_parallel_tool_use") ?? false;
    choice.refuseOthers();
    return { hidesTools: type === "none", oneCall, wantsCall: type === "any" };
  }
  throw toolChoiceRefusal();
}

/** The whole answer. */
export function messageAnswer(turn: PolicyTurn, facts: AnswerFacts): ExactJson {
  return {
    ...head(facts),
    content: blocksFor(turn).map(({ whole }) => whole),
    stop_reason: STOP_REASONS[turn.end],
    stop_sequence: turn.stopText,
    usage: usageJson(turn, turn.sampled.tokens.length),
  };
}

/** A stream event; its name is the `type` of its data. */
export type MessageEvent = ExactJsonObject & { readonly type: string };

/** The same answer as stream events. */
export function messageEvents(turn: PolicyTurn, facts: AnswerFacts): readonly MessageEvent[] {
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  return [
    { type: "message_start", message: { ...head(facts), ...empty, usage: usageJson(turn, 0) } },
    ...blocksFor(turn).flatMap(eventsOf),
    {
      type: "message_delta",
      delta: { stop_reason: STOP_REASONS[turn.end], stop_sequence: turn.stopText },
      usage: { output_tokens: turn.sampled.tokens.length },
    },
    { type: "message_stop" },
  ];
}

/** A refusal or fault in Anthropic's format. */
export function anthropicError({ status, message }: RequestRefusal): ExactJson {
  return { type: "error", error: { type: ERROR_TYPES[status] ?? typeOf(status), message } };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
};

function typeOf(status: number): string {
  return status < 500 ? "invalid_request_error" : "api_error";
}

const STOP_REASONS: Readonly<Record<AnsweredTurn["end"], string>> = {
  turn: "end_turn",
  stop_text: "stop_sequence",
  calls: "tool_use",
  length: "max_tokens",
};

function head({ id, model }: AnswerFacts): ExactJsonObject {
  return { id: `msg_${id}`, type: "message", role: "assistant", model };
}

/** As in Anthropic's API, `cache_read_input_tokens` is not part of `input_tokens`. */
function usageJson({ prompt, cachedTokens }: PolicyTurn, outputTokens: number): ExactJson {
  return {
    input_tokens: prompt.length - cachedTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: 0,
    output_tokens: outputTokens,
  };
}

/** Reasoning, text or a call. In a stream, `start` and `delta` replace `whole`. */
interface AnswerBlock {
  readonly whole: ExactJsonObject;
  readonly start: ExactJsonObject;
  readonly delta: ExactJsonObject;
}

function blocksFor({ reasoning, text, calls }: AnsweredTurn): readonly AnswerBlock[] {
  const thinking = { type: "thinking", signature: "" };
  return [
    ...(reasoning === null
      ? []
      : [
          {
            whole: { ...thinking, thinking: reasoning },
            start: { ...thinking, thinking: "" },
            delta: { type: "thinking_delta", thinking: reasoning },
          },
        ]),
    ...(text === ""
      ? []
      : [
          {
            whole: { type: "text", text },
            start: { type: "text", text: "" },
            delta: { type: "text_delta", text },
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      whole: { type: "tool_use", id, name, input: args },
      start: { type: "tool_use", id, name, input: {} },
      delta: { type: "input_json_delta", partial_json: writeExactJson(args) },
    })),
  ];
}

function eventsOf({ start, delta }: AnswerBlock, index: number): readonly MessageEvent[] {
  return [
    { type: "content_block_start", index, content_block: start },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
