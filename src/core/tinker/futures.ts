/** Waiting for the result of an accepted operation (Tinker wire, section 3). */

import { errorMessage, isAppError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Clock, HttpResponse, Log } from "../ports.ts";
import { requestFailed, statusError, tinkerError } from "./errors.ts";
import { protobufType, type TinkerHttp } from "./http.ts";
import { billingPollMs } from "./retry.ts";

/** Value of X-Tinker-Request-Type (Tinker wire, section 1.4). */
export type OperationType =
  | "CreateModel"
  | "ForwardBackward"
  | "Forward"
  | "OptimStep"
  | "SaveWeights"
  | "LoadWeights"
  | "SaveWeightsForSampler"
  | "Sample";

/** What the server says about an operation that waits its turn. */
export interface QueueState {
  readonly type: OperationType;
  readonly requestId: string;
  /** `active`, `paused_capacity`, `paused_rate_limit`, or a word this program does not know. */
  readonly state: string;
  readonly reason: string | null;
}

export interface FutureOptions {
  readonly tinker: TinkerHttp;
  readonly clock: Clock;
  readonly log: Log;
  /** Limit of an unbroken row of faults and server errors. */
  readonly noAnswerLimitMs: number;
  readonly billingPauseMs: () => number;
  readonly onQueueState?: ((state: QueueState) => void) | undefined;
}

export interface FutureRequest {
  readonly requestId: string;
  readonly type: OperationType;
  /** How long the submit took. */
  readonly roundTripMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type FutureResult =
  | { readonly kind: "proto"; readonly bytes: Uint8Array }
  | { readonly kind: "json"; readonly value: JsonObject };

type Poll =
  | { readonly kind: "done"; readonly result: FutureResult }
  | { readonly kind: "pending"; readonly state: string; readonly reason: string | null }
  | { readonly kind: "size-notice" }
  | { readonly kind: "server-error"; readonly cause: string }
  | { readonly kind: "no-answer"; readonly cause: string }
  | { readonly kind: "bad-request"; readonly text: string }
  | { readonly kind: "billing"; readonly text: string };

interface PollState {
  readonly lastAnswerAtMs: number;
  readonly isSizeAccepted: boolean;
  readonly quickPolls: number;
  readonly noAnswers: number;
  readonly badRequests: number;
  readonly billingMs: number;
}

const pollTimeoutMs = 45_000;
const maxBadRequests = 4;
const quickPollMs = 1_000;

const resultAccept = `${protobufType}, application/json;q=0.5`;
const protobufOperations: readonly OperationType[] = ["ForwardBackward", "Forward", "Sample"];

/**
 * Polls until the operation is done.
 * @throws AppError `tinker-request-failed` when it failed, `tinker-expired` (410), `tinker-not-found`, `tinker-auth`,
 * `tinker-bad-request`, `tinker-billing`, `tinker-unavailable` when faults go on too long, `tinker-protocol`
 */
export async function awaitFuture(
  options: FutureOptions,
  request: FutureRequest,
): Promise<FutureResult> {
  const { clock } = options;
  let state: PollState = {
    lastAnswerAtMs: clock.monotonic(),
    isSizeAccepted: false,
    quickPolls: 0,
    noAnswers: 0,
    badRequests: 0,
    billingMs: 0,
  };
  for (let iteration = 0; ; iteration++) {
    request.signal?.throwIfAborted();
    const polledAtMs = clock.monotonic();
    const poll = await pollOnce(options, request, iteration, !state.isSizeAccepted);
    if (poll.kind === "done") return poll.result;
    if (poll.kind === "pending") {
      const { state: word, reason } = poll;
      options.onQueueState?.({ ...request, state: word, reason });
    }
    const nowMs = clock.monotonic();
    const next = afterPoll(state, poll, { nowMs, isQuick: nowMs - polledAtMs < quickPollMs });
    checkLimits(options, request, poll, next, nowMs);
    if (next.delayMs > 0) await clock.sleep(next.delayMs, request.signal);
    state = next;
  }
}

/** The table of Tinker wire, sections 3.1 and 3.2: what a poll changes, and the pause before the next. */
function afterPoll(
  state: PollState,
  poll: Exclude<Poll, { kind: "done" }>,
  { nowMs, isQuick }: { readonly nowMs: number; readonly isQuick: boolean },
): PollState & { readonly delayMs: number } {
  const answered = { ...state, lastAnswerAtMs: nowMs, noAnswers: 0, badRequests: 0 };
  const quickPolls = isQuick ? state.quickPolls + 1 : 0;
  // A server that answers at once would otherwise be asked without a pause.
  const quickDelayMs = isQuick ? Math.min(250 * 2 ** state.quickPolls, 5_000) : 0;
  switch (poll.kind) {
    case "pending":
      return { ...answered, quickPolls, delayMs: quickDelayMs };
    case "size-notice":
      return { ...answered, isSizeAccepted: true, delayMs: 0 };
    case "server-error":
      return { ...state, noAnswers: 0, quickPolls, delayMs: quickDelayMs };
    case "no-answer":
      return {
        ...state,
        noAnswers: state.noAnswers + 1,
        delayMs: Math.min(1000 * 2 ** state.noAnswers, 30_000),
      };
    case "bad-request":
      return { ...state, noAnswers: 0, badRequests: state.badRequests + 1, delayMs: 0 };
    case "billing":
      return { ...answered, billingMs: state.billingMs + billingPollMs, delayMs: billingPollMs };
  }
}

function checkLimits(
  options: FutureOptions,
  request: FutureRequest,
  poll: Poll,
  state: PollState,
  nowMs: number,
): void {
  const what = describe(request);
  if (poll.kind === "bad-request" && state.badRequests >= maxBadRequests) {
    throw statusError({ status: 400, text: poll.text, what, attempts: state.badRequests });
  }
  if (poll.kind === "billing" && state.billingMs > options.billingPauseMs()) {
    throw statusError({ status: 402, text: poll.text, what, attempts: 1 });
  }
  if (poll.kind !== "no-answer" && poll.kind !== "server-error") return;
  options.log.debug(`Tinker: no result of ${what} yet`, { cause: poll.cause });
  const silentMs = nowMs - state.lastAnswerAtMs;
  if (silentMs < options.noAnswerLimitMs) return;
  throw tinkerError(
    "tinker-unavailable",
    `No result of ${what} for ${Math.round(silentMs / 60_000)} minutes (${poll.cause})`,
  );
}

async function pollOnce(
  { tinker }: FutureOptions,
  request: FutureRequest,
  iteration: number,
  allowMetadataOnly: boolean,
): Promise<Poll> {
  try {
    const response = await tinker.send({
      method: "POST",
      path: "retrieve_future",
      body: { request_id: request.requestId, allow_metadata_only: allowMetadataOnly },
      headers: pollHeaders(request, iteration),
      timeoutMs: pollTimeoutMs,
      signal: request.signal,
    });
    return await classify(response, request);
  } catch (error) {
    if (!isAppError(error, "transport")) throw error;
    return { kind: "no-answer", cause: errorMessage(error) };
  }
}

function pollHeaders(request: FutureRequest, iteration: number): Record<string, string> {
  const isProtobuf = protobufOperations.includes(request.type);
  return {
    "X-Tinker-Request-Iteration": String(iteration),
    "X-Tinker-Request-Type": request.type,
    ...(isProtobuf && { Accept: resultAccept }),
    ...(iteration === 0 && {
      "X-Tinker-Create-Promise-Roundtrip-Time": String(request.roundTripMs / 1000),
    }),
  };
}

async function classify(response: HttpResponse, request: FutureRequest): Promise<Poll> {
  const { status } = response;
  if (status === 200) return await classifyOk(response, request);
  const text = await response.text();
  if (status === 408) return pending(parseObject(text) ?? {});
  if (status >= 500) return { kind: "server-error", cause: `status ${status}` };
  if (status === 429) return { kind: "no-answer", cause: "status 429" };
  if (status === 402) return { kind: "billing", text };
  if (status === 400) {
    // A proxy's refusal has no length; the service's own has (Tinker wire, 0.1 item 10).
    return Number(response.header("content-length")) > 0
      ? { kind: "bad-request", text }
      : { kind: "no-answer", cause: "status 400 without a length" };
  }
  throw statusError({ status, text, what: describe(request), attempts: 1 });
}

async function classifyOk(response: HttpResponse, request: FutureRequest): Promise<Poll> {
  if (response.header("content-type")?.includes(protobufType)) {
    return { kind: "done", result: { kind: "proto", bytes: await response.bytes() } };
  }
  const body = parseObject(await response.text());
  if (body === null) {
    throw tinkerError("tinker-protocol", `The result of ${describe(request)} is not a JSON object`);
  }
  if (body["type"] === "try_again") return pending(body);
  if (body["status"] === "complete_metadata") return { kind: "size-notice" };
  if ("error" in body) {
    throw requestFailed(describe(request), String(body["error"]), body["category"]);
  }
  return { kind: "done", result: { kind: "json", value: body } };
}

function pending(body: JsonObject): Poll {
  const { queue_state: state, queue_state_reason: reason } = body;
  return {
    kind: "pending",
    state: typeof state === "string" ? state : "active",
    reason: typeof reason === "string" ? reason : null,
  };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function describe(request: FutureRequest): string {
  return `${request.type} ${request.requestId}`;
}
