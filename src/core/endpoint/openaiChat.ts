/** OpenAI's Chat Completions API: https://platform.openai.com/docs/api-reference/chat. */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { readMessages, readTools } from "../chat/openaiMessages.ts";
import type { ToolDeclaration } from "../chat/renderer.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  writeExactJson,
} from "../util/exactJson.ts";
import type { AnsweredTurn } from "./answeredTurn.ts";
import type { PolicyTurn } from "./endpointModel.ts";
import {
  type EndpointRequest,
  orderedMessages,
  requestRules,
  toolChoiceRefusal,
} from "./endpointRequest.ts";
import { endpointRefusal, type RequestRefusal } from "./refusal.ts";
import { RequestFields } from "./requestFields.ts";
import { RequestImages } from "./requestImages.ts";
import { MAX_STOP_TEXTS, samplingIn } from "./samplingFields.ts";

export interface ChatCompletionRequest extends EndpointRequest {
  readonly isStreamed: boolean;
  /** Whether a stream ends with a usage chunk. */
  readonly streamsUsage: boolean;
  readonly wantsLogprobs: boolean;
  /** Whether to return the token ids of prompt and turn, under vLLM's names. */
  readonly wantsTokenIds: boolean;
}

/** Metadata of an answer. */
export interface AnswerFacts {
  readonly id: string;
  /** Name of the model. */
  readonly model: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
}

/** Keys without an effect on what the model writes; its chat format decides whether it reasons. */
const WITHOUT_EFFECT = [
  ..."model user metadata store service_tier safety_identifier prompt_cache_key".split(" "),
  ..."prompt_cache_retention reasoning_effort verbosity".split(" "),
];
const NOT_APPLIED = "The model is sampled as it was trained. Leave the parameter out.";

/** `body` is as returned by `parseExactJson`. @throws ColumnError, AppError `endpoint-refused` */
export function readChatCompletion(body: unknown): ChatCompletionRequest {
  const fields = new RequestFields(body);
  fields.ignore(...WITHOUT_EFFECT);
  fields.only("n", [1], "One request gives one answer. Send several.");
  for (const key of ["frequency_penalty", "presence_penalty", "min_p"]) {
    fields.only(key, [0], NOT_APPLIED);
  }
  fields.only("repetition_penalty", [1], NOT_APPLIED);
  fields.only("top_logprobs", [0], "Log-probabilities are those of the sampled tokens alone.");
  requireText(fields);
  const images = new RequestImages();
  const messages = orderedMessages(readMessages(fields.value("messages"), requestRules(images)));
  const declared = readTools(fields.value("tools") ?? []);
  const request: ChatCompletionRequest = {
    messages,
    images: images.all,
    ...chosenTools(fields, declared),
    oneCall: fields.flag("parallel_tool_calls") === false,
    sampling: samplingIn(fields, ["max_completion_tokens", "max_tokens"], 2),
    stopTexts: fields.texts("stop", MAX_STOP_TEXTS),
    isStreamed: fields.flag("stream") ?? false,
    streamsUsage: streamsUsage(fields),
    wantsLogprobs: fields.flag("logprobs") ?? false,
    wantsTokenIds: fields.flag("return_token_ids") ?? false,
  };
  fields.refuseOthers();
  return request;
}

/** Output formats cannot be enforced; `place` is where to ask for one instead. @throws AppError `endpoint-refused` */
function requireTextFormat(format: unknown, param: string, place: string): void {
  if (format === undefined || (isExactObject(format) && format["type"] === "text")) return;
  throw endpointRefusal(
    `${param}: output formats are not enforced. Ask for the format in the ${place}, or leave ${param} out.`,
    { param },
  );
}

/**
 * Checks a format nested in an object of text settings, of which `ignored` has no effect. @throws ColumnError, AppError
 * `endpoint-refused`
 */
export function requireTextSettings(
  fields: RequestFields,
  { key, ignored, place }: Readonly<Record<"key" | "ignored" | "place", string>>,
): void {
  const settings = new RequestFields(fields.value(key) ?? {}, `${key}.`);
  settings.ignore(ignored);
  requireTextFormat(settings.value("format"), `${key}.format`, place);
  settings.refuseOthers();
}

function requireText(fields: RequestFields): void {
  requireTextFormat(fields.value("response_format"), "response_format", "messages");
  const modalities = fields.texts("modalities", 8);
  if (modalities.some((modality) => modality !== "text")) {
    throw endpointRefusal("modalities: the model writes text only.", { param: "modalities" });
  }
}

/** With `none`, the model does not see the tools. @throws AppError `endpoint-refused` for the choice of a specific tool */
export function chosenTools(
  fields: RequestFields,
  declared: readonly ToolDeclaration[],
): Pick<EndpointRequest, "tools" | "wantsCall"> {
  const choice = fields.value("tool_choice") ?? "auto";
  if (choice === "none") return { tools: [], wantsCall: false };
  if (choice === "auto" || choice === "required") {
    return { tools: declared, wantsCall: choice === "required" };
  }
  throw toolChoiceRefusal();
}

function streamsUsage(fields: RequestFields): boolean {
  const given = fields.value("stream_options");
  if (given === undefined) return false;
  const options = new RequestFields(given, "stream_options.");
  options.ignore("include_obfuscation");
  const wants = options.flag("include_usage") ?? false;
  options.refuseOthers();
  return wants;
}

/** The whole answer. */
export function chatCompletion(
  turn: PolicyTurn,
  request: ChatCompletionRequest,
  facts: AnswerFacts,
): ExactJson {
  const { reasoning, text, calls } = turn;
  const message = withoutUndefined({
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: reasoning ?? undefined,
    tool_calls: calls.length === 0 ? undefined : calls.map(callJson),
  });
  const { prompt_token_ids, token_ids } = tokenIds(turn, request);
  const choice = {
    index: 0,
    message,
    logprobs: logprobsJson(turn, request),
    finish_reason: FINISH_REASONS[turn.end],
    token_ids,
  };
  return withoutUndefined({
    ...head(facts, "chat.completion"),
    choices: [withoutUndefined(choice)],
    usage: usageJson(turn),
    prompt_token_ids,
  });
}

/** The same answer as stream chunks. */
export function chatCompletionChunks(
  turn: PolicyTurn,
  request: ChatCompletionRequest,
  facts: AnswerFacts,
): readonly ExactJson[] {
  const { reasoning, text, calls } = turn;
  const { streamsUsage: hasUsage } = request;
  const { prompt_token_ids, token_ids } = tokenIds(turn, request);
  const noUsage = hasUsage ? null : undefined;
  const chunk = (
    delta: ExactJsonObject,
    end: Readonly<Record<string, ExactJson | undefined>> = {},
  ): ExactJsonObject => {
    const part = withoutUndefined({ index: 0, delta, logprobs: null, finish_reason: null, ...end });
    return withoutUndefined({
      ...head(facts, "chat.completion.chunk"),
      choices: [part],
      usage: noUsage,
    });
  };
  const begin = chunk({ role: "assistant", content: "" });
  return [
    prompt_token_ids === undefined ? begin : { ...begin, prompt_token_ids },
    ...(reasoning === null ? [] : [chunk({ reasoning_content: reasoning })]),
    ...(text === "" ? [] : [chunk({ content: text })]),
    ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...callJson(call) }] })),
    chunk(
      {},
      {
        logprobs: logprobsJson(turn, request),
        finish_reason: FINISH_REASONS[turn.end],
        token_ids,
      },
    ),
    ...(hasUsage
      ? [{ ...head(facts, "chat.completion.chunk"), choices: [], usage: usageJson(turn) }]
      : []),
  ];
}

function tokenIds(
  { prompt, sampled }: PolicyTurn,
  { wantsTokenIds }: ChatCompletionRequest,
): Partial<Record<"prompt_token_ids" | "token_ids", readonly number[]>> {
  if (!wantsTokenIds) return {};
  return { prompt_token_ids: Array.from(prompt), token_ids: Array.from(sampled.tokens) };
}

/** A refusal or fault in OpenAI's format. */
export function openaiError({ status, message, param, code }: RequestRefusal): ExactJson {
  return { error: { message, type: ERROR_TYPES[status] ?? typeOf(status), param, code } };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

function typeOf(status: number): string {
  return status < 500 ? "invalid_request_error" : "server_error";
}

const FINISH_REASONS: Readonly<Record<AnsweredTurn["end"], string>> = {
  turn: "stop",
  stop_text: "stop",
  calls: "tool_calls",
  length: "length",
};

function head({ id, model, created }: AnswerFacts, object: string): ExactJsonObject {
  return { id: `chatcmpl-${id}`, object, created, model };
}

function callJson({ id, name, args }: AnsweredTurn["calls"][number]): ExactJsonObject {
  return { id, type: "function", function: { name, arguments: writeExactJson(args) } };
}

function usageJson({ prompt, sampled, cachedTokens, reasoningTokens }: PolicyTurn): ExactJson {
  const completion = sampled.tokens.length;
  return {
    prompt_tokens: prompt.length,
    completion_tokens: completion,
    total_tokens: prompt.length + completion,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

/** Log-probabilities of all sampled tokens, including control tokens and reasoning. A token's text may be only part of a character. */
function logprobsJson(
  { sampled, tokenizer }: PolicyTurn,
  { wantsLogprobs }: ChatCompletionRequest,
): ExactJson {
  const { logprobs } = sampled;
  if (!wantsLogprobs || logprobs === null) return null;
  const content = Array.from(sampled.tokens, (id, i) => {
    const token = tokenizer.decode([id]);
    return { token, logprob: logprobs[i] ?? null, bytes: null, top_logprobs: [] };
  });
  return { content, refusal: null };
}
