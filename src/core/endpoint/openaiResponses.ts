/**
 * OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses, and its streams:
 * https://platform.openai.com/docs/api-reference/responses-streaming. Nothing is stored: each request has the whole conversation.
 */

import { type Content, contentOfParts } from "../chat/content.ts";
import { ColumnError, declaration, readArguments, shown } from "../chat/openaiMessages.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../chat/renderer.ts";
import { type ExactJsonObject, isExactObject, writeExactJson } from "../util/exactJson.ts";
import type { PolicyTurn } from "./endpointModel.ts";
import { ACCEPTED_CONTENT, type EndpointRequest, orderedMessages } from "./endpointRequest.ts";
import { type AnswerFacts, chosenTools, requireTextSettings } from "./openaiChat.ts";
import { endpointRefusal } from "./refusal.ts";
import { RequestFields, stringAt } from "./requestFields.ts";
import { RequestImages } from "./requestImages.ts";
import { samplingIn } from "./samplingFields.ts";

export interface ResponsesRequest extends EndpointRequest {
  readonly isStreamed: boolean;
  readonly instructions: string | null;
}

/** Keys without an effect on what the model writes; its chat format decides whether it reasons. */
const WITHOUT_EFFECT = [
  ..."model user metadata store service_tier safety_identifier prompt_cache_key".split(" "),
  ..."prompt_cache_retention reasoning stream_options client_metadata".split(" "),
];
const STATELESS = "Nothing is stored here. Send the whole conversation as input.";

/** `body` is as returned by `parseExactJson`. @throws ColumnError, AppError `endpoint-refused` */
export function readResponses(body: unknown): ResponsesRequest {
  const fields = new RequestFields(body);
  fields.ignore(...WITHOUT_EFFECT);
  fields.only("previous_response_id", [], STATELESS);
  fields.only("conversation", [], STATELESS);
  fields.only("background", [false], "Leave it out.");
  fields.only("truncation", ["disabled"], "Conversations are never truncated.");
  fields.only("top_logprobs", [0], "Answers in this protocol have no log-probabilities here.");
  requireText(fields);
  const instructions = fields.text("instructions");
  const images = new RequestImages();
  const read = itemsIn(fields.value("input"), images);
  const system: readonly PlacedMessage[] =
    instructions === null
      ? []
      : [{ column: "instructions", message: { role: "system", content: instructions } }];
  const all = [...system, ...read];
  const declared = toolsIn(fields.value("tools") ?? []);
  const request: ResponsesRequest = {
    messages: orderedMessages(
      all.map(({ message }) => message),
      (index) => all[index]?.column ?? "input",
    ),
    images: images.all,
    ...chosenTools(fields, declared),
    oneCall: fields.flag("parallel_tool_calls") === false,
    sampling: samplingIn(fields, ["max_output_tokens"], 2),
    stopTexts: [],
    isStreamed: fields.flag("stream") ?? false,
    instructions,
  };
  fields.refuseOthers();
  return request;
}

function requireText(fields: RequestFields): void {
  requireTextSettings(fields, { key: "text", ignored: "verbosity", place: "input" });
  const included = fields.texts("include", 8);
  const other = included.find((what) => what !== "reasoning.encrypted_content");
  if (other === undefined) return;
  throw endpointRefusal(`include: ${shown(other)} is not supported.`, { param: "include" });
}

function toolsIn(given: unknown): readonly ToolDeclaration[] {
  if (!Array.isArray(given)) throw new ColumnError("tools", "expected a list of tools");
  return given.map((tool, i) => {
    const column = `tools[${i}]`;
    if (!isExactObject(tool)) throw new ColumnError(column, "expected an object");
    const { type, name, description, parameters } = tool;
    if (type === "function") return declaration({ name, description, parameters }, column);
    throw endpointRefusal(
      `${column}.type: ${shown(type)} is not a supported type of tool. Declare tools of type function.`,
      { param: `${column}.type` },
    );
  });
}

interface PlacedMessage {
  /** Location of its first item. */
  readonly column: string;
  readonly message: InitialMessage;
}

/** An unfinished model turn, whose parts are separate items. */
interface OpenTurn {
  readonly column: string;
  reasoning: string | null;
  content: string | null;
  readonly calls: AssistantMessage["calls"][number][];
}

function itemsIn(given: unknown, images: RequestImages): readonly PlacedMessage[] {
  const items = typeof given === "string" ? [{ role: "user", content: given }] : given;
  if (!Array.isArray(items)) {
    throw new ColumnError("input", `expected text or a list of items, got ${shown(given)}`);
  }
  const reader = new ItemReader(images);
  for (const [i, item] of items.entries()) reader.add(item, `input[${i}]`);
  return reader.end();
}

class ItemReader {
  readonly #images: RequestImages;
  readonly #messages: PlacedMessage[] = [];
  /** Tool names by call id. */
  readonly #names = new Map<string, string>();
  #turn: OpenTurn | null = null;

  constructor(images: RequestImages) {
    this.#images = images;
  }

  /** @throws ColumnError */
  add(item: unknown, column: string): void {
    if (!isExactObject(item)) throw new ColumnError(column, "expected an object");
    const { type, role } = item;
    switch (type ?? "message") {
      case "message":
        if (role === "assistant")
          this.#say(contentIn(item["content"], `${column}.content`).content, column);
        else this.#hear(item, column);
        return;
      case "reasoning":
        this.#turnAt(column, isUnsaid).reasoning = reasoningIn(item, column);
        return;
      case "function_call":
        this.#call(item, column);
        return;
      case "function_call_output":
        this.#answer(item, column);
        return;
      default:
        throw new ColumnError(`${column}.type`, `items of type ${shown(type)} are not supported`);
    }
  }

  end(): readonly PlacedMessage[] {
    const turn = this.#turn;
    this.#turn = null;
    if (turn !== null) {
      const { column, reasoning, content, calls } = turn;
      const message = { role: "assistant", content: content ?? "", reasoning, calls } as const;
      this.#messages.push({ column, message });
    }
    return this.#messages;
  }

  /** The open turn, or a new one if the open one cannot take the item. */
  #turnAt(column: string, takes: (turn: OpenTurn) => boolean): OpenTurn {
    if (this.#turn !== null && takes(this.#turn)) return this.#turn;
    this.end();
    const turn: OpenTurn = { column, reasoning: null, content: null, calls: [] };
    this.#turn = turn;
    return turn;
  }

  #say(text: string, column: string): void {
    this.#turnAt(column, isUnsaid).content = text;
  }

  #hear(item: ExactJsonObject, column: string): void {
    const { role } = item;
    if (role !== "user" && role !== "system" && role !== "developer") {
      const reason = `expected system, developer, user or assistant, got ${shown(role)}`;
      throw new ColumnError(`${column}.role`, reason);
    }
    this.end();
    const images = role === "user" ? this.#images : null;
    const said = contentIn(item["content"], `${column}.content`, images);
    const message = { role: role === "user" ? role : "system", ...said } as const;
    this.#messages.push({ column, message });
  }

  #call(item: ExactJsonObject, column: string): void {
    const id = stringAt(item, "call_id", column);
    const name = stringAt(item, "name", column);
    const written = stringAt(item, "arguments", column);
    const args = readArguments(written);
    if (args === null) {
      const reason = `expected a JSON object as text, got ${shown(written)}`;
      throw new ColumnError(`${column}.arguments`, reason);
    }
    this.#names.set(id, name);
    this.#turnAt(column, () => true).calls.push({ id, name, args });
  }

  #answer(item: ExactJsonObject, column: string): void {
    const callId = stringAt(item, "call_id", column);
    const name = this.#names.get(callId);
    if (name === undefined) {
      const reason = `expected the call_id of an earlier function_call, got ${shown(callId)}`;
      throw new ColumnError(`${column}.call_id`, reason);
    }
    this.end();
    const said = contentIn(item["output"], `${column}.output`, this.#images);
    this.#messages.push({ column, message: { role: "tool", name, callId, ...said } });
  }
}

function isUnsaid({ content, calls }: OpenTurn): boolean {
  return content === null && calls.length === 0;
}

/** The reasoning itself, or its summary from another server. */
function reasoningIn(item: ExactJsonObject, column: string): string | null {
  const { content, summary } = item;
  const parts = [content, summary].find((list) => Array.isArray(list) && list.length > 0);
  if (!Array.isArray(parts)) return null;
  return parts
    .map((part, i) => {
      if (isExactObject(part)) return stringAt(part, "text", `${column}[${i}]`);
      throw new ColumnError(column, "expected reasoning as parts with a text");
    })
    .join("\n\n");
}

/** Joins parts; pass null to refuse images. */
function contentIn(content: unknown, column: string, images: RequestImages | null = null): Content {
  if (typeof content === "string") return { content };
  if (!Array.isArray(content)) {
    throw new ColumnError(column, `expected text or a list of parts, got ${shown(content)}`);
  }
  return contentOfParts(
    content.map((part, i) => {
      const place = `${column}[${i}]`;
      const type = isExactObject(part) ? part["type"] : undefined;
      if (isExactObject(part) && (type === "input_text" || type === "output_text")) {
        return stringAt(part, "text", place);
      }
      if (isExactObject(part) && type === "input_image" && images !== null) {
        return images.addAddress(part["image_url"], `${place}.image_url`);
      }
      throw new ColumnError(place, `${ACCEPTED_CONTENT}, got ${shown(type)}`);
    }),
  );
}

/** A stream event; its name is the `type` of its data. */
export type ResponseEvent = ExactJsonObject & { readonly type: string };

/** The same answer as stream events. */
export function responseEvents(
  turn: PolicyTurn,
  request: ResponsesRequest,
  facts: AnswerFacts,
): readonly ResponseEvent[] {
  const begun = { ...head(request, facts), status: "in_progress", output: [], usage: null };
  const last = responseAnswer(turn, request, facts);
  const events: readonly ResponseEvent[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...outputOf(turn, facts).flatMap((item, index) => eventsOf(item, index)),
    { type: `response.${isCutOff(turn) ? "incomplete" : "completed"}`, response: last },
  ];
  return events.map((event, i) => ({ ...event, sequence_number: i }));
}

/** The whole answer. */
export function responseAnswer(
  turn: PolicyTurn,
  request: ResponsesRequest,
  facts: AnswerFacts,
): ExactJsonObject {
  const { prompt, sampled, cachedTokens, reasoningTokens } = turn;
  const output = sampled.tokens.length;
  const isCut = isCutOff(turn);
  return {
    ...head(request, facts),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    output: outputOf(turn, facts).map(({ whole }) => whole),
    usage: {
      input_tokens: prompt.length,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoningTokens },
      total_tokens: prompt.length + output,
    },
  };
}

function isCutOff({ end }: PolicyTurn): boolean {
  return end === "length";
}

function head(
  { instructions, tools, oneCall, sampling }: ResponsesRequest,
  { id, model, created }: AnswerFacts,
): ExactJsonObject {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    model,
    error: null,
    incomplete_details: null,
    instructions,
    metadata: {},
    parallel_tool_calls: !oneCall,
    previous_response_id: null,
    store: false,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    max_output_tokens: sampling.maxTokens,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: tools.map(({ type, function: own }) => ({ type, ...own, strict: false })),
    truncation: "disabled",
  };
}

/** An output item: how it starts in a stream, the events in between, and its final form. */
interface OutputItem {
  readonly start: ExactJsonObject;
  /** Without the fields that locate the item, which are added to all. */
  readonly events: readonly ResponseEvent[];
  readonly whole: ExactJsonObject;
}

function outputOf(
  { reasoning, text, calls }: PolicyTurn,
  { id }: AnswerFacts,
): readonly OutputItem[] {
  const items: OutputItem[] = [];
  const add = (
    begun: ExactJsonObject,
    own: Pick<OutputItem, "events"> & { readonly done: ExactJsonObject },
  ) =>
    items.push({
      start: { ...begun, status: "in_progress" },
      events: own.events,
      whole: { ...begun, ...own.done, status: "completed" },
    });
  if (reasoning !== null) {
    const begun = { type: "reasoning", id: `rs_${id}`, summary: [], content: [] };
    add(begun, partOf(reasoning, { type: "reasoning_text" }, {}));
  }
  if (text !== "" || calls.length === 0) {
    const begun = { type: "message", id: `msg_${id}`, role: "assistant", content: [] };
    const logprobs = { logprobs: [] };
    add(begun, partOf(text, { type: "output_text", annotations: [], ...logprobs }, logprobs));
  }
  for (const { id: callId, name, args } of calls) {
    const written = writeExactJson(args);
    add(
      { type: "function_call", id: `fc_${callId}`, call_id: callId, name, arguments: "" },
      {
        events: [
          { type: "response.function_call_arguments.delta", delta: written },
          { type: "response.function_call_arguments.done", name, arguments: written },
        ],
        done: { arguments: written },
      },
    );
  }
  return items;
}

/** A text as the only part of its item. Clients need the part's own events before its text. */
function partOf(
  text: string,
  part: ExactJsonObject & { readonly type: string },
  ofEvents: ExactJsonObject,
) {
  const at = { content_index: 0 };
  const whole = { ...part, text };
  return {
    events: [
      { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
      { type: `response.${part.type}.delta`, ...at, delta: text, ...ofEvents },
      { type: `response.${part.type}.done`, ...at, text, ...ofEvents },
      { type: "response.content_part.done", ...at, part: whole },
    ],
    done: { content: [whole] },
  };
}

function eventsOf({ start, events, whole }: OutputItem, index: number): readonly ResponseEvent[] {
  const place = { item_id: start["id"] ?? null, output_index: index };
  return [
    { type: "response.output_item.added", output_index: index, item: start },
    ...events.map((event) => ({ ...event, ...place })),
    { type: "response.output_item.done", output_index: index, item: whole },
  ];
}
