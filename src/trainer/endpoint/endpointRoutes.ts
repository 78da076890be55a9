/** Routes of an endpoint that serves a policy over OpenAI's and Anthropic's protocols. */

import { ColumnError } from "../../core/chat/openaiMessages.ts";
import {
  anthropicError,
  type MessageEvent,
  messageAnswer,
  messageEvents,
  readMessagesRequest,
} from "../../core/endpoint/anthropicMessages.ts";
import type { EndpointModel, PolicyTurn } from "../../core/endpoint/endpointModel.ts";
import type { EndpointRequest } from "../../core/endpoint/endpointRequest.ts";
import {
  type AnswerFacts,
  chatCompletion,
  chatCompletionChunks,
  openaiError,
  readChatCompletion,
} from "../../core/endpoint/openaiChat.ts";
import {
  readResponses,
  responseAnswer,
  responseEvents,
} from "../../core/endpoint/openaiResponses.ts";
import { endpointRefusal, type RequestRefusal, refusalOf } from "../../core/endpoint/refusal.ts";
import { kindOfError } from "../../core/errorCodes.ts";
import { isAppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { Clock, Random } from "../../core/ports.ts";
import { type ExactJson, parseExactJson, writeExactJson } from "../../core/util/exactJson.ts";
import { isBounded } from "../../core/util/jsonl.ts";
import type { ErrorBody } from "../../local/http/httpServer.ts";
import { jsonReply, type Reply } from "../../local/http/reply.ts";
import type { Handler, Routes, ServiceRequest } from "../../local/http/router.ts";

export interface EndpointRoutesOptions {
  /** Path prefix such as `/v1`; segments may be `{name}`. */
  readonly prefix: string;
  /** The policy for a request. @throws AppError `http-refused` */
  readonly policyOf: (request: ServiceRequest) => ServedPolicy;
  readonly clock: Clock;
  readonly random: Random;
  /** Removes secrets from a fault. */
  readonly clean: (error: unknown) => unknown;
  /** Aborts requests in progress. */
  readonly signal: AbortSignal;
}

export interface ServedPolicy {
  readonly policy: EndpointModel;
  /** Name shown to callers. */
  readonly name: string;
  /** True if every turn needs log-probabilities, even if the caller does not request them. */
  readonly needsLogprobs: boolean;
}

/** One protocol: how to read its requests and write its responses. */
interface Protocol<Request extends EndpointRequest & { readonly isStreamed: boolean }> {
  readonly read: (body: unknown) => Request;
  readonly needsLogprobs: (request: Request) => boolean;
  readonly whole: (turn: PolicyTurn, request: Request, facts: AnswerFacts) => ExactJson;
  /** Lines of an event stream. */
  readonly stream: (turn: PolicyTurn, request: Request, facts: AnswerFacts) => readonly string[];
  readonly error: (refusal: RequestRefusal) => ExactJson;
}

const OPENAI: Protocol<ReturnType<typeof readChatCompletion>> = {
  read: readChatCompletion,
  needsLogprobs: ({ wantsLogprobs }) => wantsLogprobs,
  whole: chatCompletion,
  stream: (...answer) => [
    ...chatCompletionChunks(...answer).map((chunk) => `data: ${writeExactJson(chunk)}`),
    "data: [DONE]",
  ],
  error: openaiError,
};

const ANTHROPIC: Protocol<ReturnType<typeof readMessagesRequest>> = {
  read: readMessagesRequest,
  needsLogprobs: () => false,
  whole: (turn, _, facts) => messageAnswer(turn, facts),
  stream: (turn, _, facts) => messageEvents(turn, facts).map(namedEvent),
  error: anthropicError,
};

const RESPONSES: Protocol<ReturnType<typeof readResponses>> = {
  read: readResponses,
  needsLogprobs: () => false,
  whole: responseAnswer,
  stream: (...answer) => responseEvents(...answer).map(namedEvent),
  error: openaiError,
};

/** Anthropic's limit for request bodies: https://docs.anthropic.com/en/api/errors#request-size-limits */
export const MAX_REQUEST_BYTES = 32 * 2 ** 20;

const MESSAGES = "/messages";
const PATHS =
  "The paths of this endpoint end in /v1/chat/completions, /v1/responses, /v1/messages and /v1/models.";

export function endpointRoutes(options: EndpointRoutesOptions): Routes {
  const { prefix, policyOf } = options;
  const model: Handler = (request) => jsonReply(modelFacts(policyOf(request).name));
  return {
    [`POST ${prefix}/chat/completions`]: (request) => answer(options, OPENAI, request),
    [`POST ${prefix}/responses`]: (request) => answer(options, RESPONSES, request),
    [`POST ${prefix}${MESSAGES}`]: (request) => answer(options, ANTHROPIC, request),
    [`POST ${prefix}${MESSAGES}/count_tokens`]: (request) => countTokens(options, request),
    [`GET ${prefix}/models`]: (request) => jsonReply(modelList(policyOf(request).name)),
    [`GET ${prefix}/models/{model}`]: model,
    // Some clients do not escape the slash in a name.
    [`GET ${prefix}/models/{owner}/{model}`]: model,
  };
}

function namedEvent(event: MessageEvent): string {
  return `event: ${event.type}\ndata: ${writeExactJson(event)}`;
}

/** Error bodies for failures before routing, such as a wrong key or path. */
export const endpointErrorBody: ErrorBody = (fault) => {
  const { error } = fault.path.includes(MESSAGES) ? ANTHROPIC : OPENAI;
  // Both formats contain only strings and nulls.
  return error(faultRefusal(fault)) as Json;
};

/** Converts such a failure into a refusal. */
export function faultRefusal({ status, detail, path }: Parameters<ErrorBody>[0]): RequestRefusal {
  const said = typeof detail === "string" ? detail : JSON.stringify(detail);
  const hint = path.includes("/v1/v1/") ? "The base address already ends in /v1." : PATHS;
  const message = status === 404 ? `There is nothing at ${path}. ${hint}` : said;
  return { status, message, param: null, code: status === 401 ? "invalid_api_key" : null };
}

async function answer<Request extends EndpointRequest & { readonly isStreamed: boolean }>(
  options: EndpointRoutesOptions,
  protocol: Protocol<Request>,
  request: ServiceRequest,
): Promise<Reply> {
  const { clock, random } = options;
  const { policy, name, needsLogprobs } = options.policyOf(request);
  return refused(options, protocol, policy, async () => {
    const asked = protocol.read(bodyOf(request));
    const turn = await policy.turn(asked, {
      signal: AbortSignal.any([request.signal, options.signal]),
      needsLogprobs: needsLogprobs || protocol.needsLogprobs(asked),
    });
    const created = Math.floor(clock.now() / 1000);
    const facts = { id: random.uuid().replaceAll("-", ""), model: name, created };
    if (!asked.isStreamed) return exactReply(protocol.whole(turn, asked, facts), 200);
    const events = protocol.stream(turn, asked, facts).map((event) => `${event}\n\n`);
    const body = new TextEncoder().encode(events.join(""));
    const headers = { "Cache-Control": "no-cache" };
    return { status: 200, contentType: "text/event-stream", body, headers };
  });
}

/** https://docs.anthropic.com/en/api/messages-count-tokens */
async function countTokens(
  options: EndpointRoutesOptions,
  request: ServiceRequest,
): Promise<Reply> {
  const { policy } = options.policyOf(request);
  return refused(options, ANTHROPIC, policy, async () => {
    const asked = ANTHROPIC.read(bodyOf(request));
    return exactReply({ input_tokens: await policy.countTokens(asked) }, 200);
  });
}

/** Writes refusals and service failures in the protocol's format. Rethrows other errors for the server's log. */
async function refused(
  { clean }: EndpointRoutesOptions,
  { error: write }: Pick<Protocol<never>, "error">,
  { onRefused }: EndpointModel,
  reply: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await reply();
  } catch (error) {
    // Errors about an input column quote the caller's own text.
    const cleaned = error instanceof ColumnError ? error : clean(error);
    const refusal = refusalOf(cleaned) ?? serviceFault(cleaned);
    if (refusal === null) throw cleaned;
    onRefused?.(refusal);
    return exactReply(write(refusal), refusal.status);
  }
}

function serviceFault(error: unknown): RequestRefusal | null {
  if (!isAppError(error)) return null;
  const kind = kindOfError(error.code);
  if (kind !== "service" && kind !== "limit") return null;
  // Clients retry a 502 on their own.
  const status = error.code === "tinker-billing" ? 402 : 502;
  return { status, message: error.message, param: null, code: error.code };
}

/** @throws AppError `endpoint-refused` */
function bodyOf({ body }: ServiceRequest): unknown {
  const text = new TextDecoder().decode(body);
  if (!isBounded(text)) {
    throw endpointRefusal("The request body is nested too deep or has too many entries.");
  }
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw endpointRefusal(`The request body is not JSON that can be read: ${error.message}.`);
  }
}

function exactReply(value: ExactJson, status: number): Reply {
  const body = new TextEncoder().encode(writeExactJson(value));
  return { status, contentType: "application/json", body };
}

function modelList(id: string): Json {
  return { object: "list", data: [modelFacts(id)], has_more: false, first_id: id, last_id: id };
}

/**
 * With the keys of both protocols: https://platform.openai.com/docs/api-reference/models, https://docs.anthropic.com/en/api/models-list.
 */
function modelFacts(id: string): Json {
  return {
    id,
    object: "model",
    created: 0,
    owned_by: "tinker-rl",
    type: "model",
    display_name: id,
    created_at: "1970-01-01T00:00:00Z",
  };
}
