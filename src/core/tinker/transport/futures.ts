/** Waits for the result of an accepted operation: `docs/protocols/tinker.md#futures`. */

import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { errorMessage, isAppError } from "../../errors.ts";
import type { Clock, HttpResponse, Log } from "../../ports.ts";
import { type Doubling, doubledMs } from "../../util/backoff.ts";
import type { Limiter } from "../../util/limiter.ts";
import { type WithTimerPaused, withoutTimer } from "../../util/withTimerPaused.ts";
import { operationRefused, statusError, tinkerError } from "./errors.ts";
import { protobufType } from "./exchange.ts";
import type { TinkerHttp } from "./http.ts";
import { type FutureResult, type Poll, readPollAnswer } from "./pollAnswer.ts";
import { billingPollMs } from "./retry.ts";
import type { ServerNotice } from "./serverWatch.ts";

/** Value of the header X-Tinker-Request-Type. */
export type OperationType =
  | "CreateModel"
  | "ForwardBackward"
  | "Forward"
  | "OptimStep"
  | "SaveWeights"
  | "LoadWeights"
  | "SaveWeightsForSampler"
  | "SaveWeightsExternal"
  | "Sample";

export interface FutureOptions {
  readonly tinker: TinkerHttp;
  readonly clock: Clock;
  readonly log: Log;
  /** How long polls may fail in a row, by connection faults or server errors. */
  readonly noAnswerLimitMs: number;
  readonly billingPauseMs: () => number;
  /** Limits the total size of announced results that are fetched at once. */
  readonly resultBytes: Limiter;
  /** Notified of operations that the server pauses and resumes. */
  readonly pauses?: Pick<ServerNotice, "failed" | "recovered" | "givenUp"> | undefined;
}

export interface FutureRequest {
  readonly requestId: string;
  readonly type: OperationType;
  /** How long the submit took. */
  readonly roundTripMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Runs polls while the service has paused the operation, and waits for unpaid bills. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
}

interface PollState {
  /** Time spent on waits and polls since the last answer, excluding time during which the process was suspended. */
  readonly silentMs: number;
  /** The service is not working on the operation: it waits for capacity, a rate limit or a payment. */
  readonly isPaused: boolean;
  readonly quickPolls: number;
  readonly noAnswers: number;
  readonly badRequests: number;
  readonly billingMs: number;
  /** Wait before the next poll. */
  readonly delayMs: number;
}

const pollTimeoutMs = 45_000;
/** One second less, since timers may fire slightly early. */
const heldPollMs = pollTimeoutMs - 1_000;
const maxBadRequests = 4;
const quickPollMs = 1_000;
const quickPollPause: Doubling = { firstMs: 250, maxMs: 5_000 };
const noAnswerPause: Doubling = { firstMs: 1_000, maxMs: 30_000 };

const pauseWords: Readonly<Record<string, string>> = {
  paused_capacity: "it has no capacity at present",
  paused_rate_limit: "its rate limit is reached",
};

const resultAccept = `${protobufType}, application/json;q=0.5`;
const protobufOperations: readonly OperationType[] = ["ForwardBackward", "Forward", "Sample"];

/**
 * Polls until the operation is done.
 * @throws AppError `tinker-request-failed` if it failed, `tinker-expired` (410), `tinker-not-found`, `tinker-auth`,
 * `tinker-bad-request`, `tinker-billing`, `tinker-unavailable` if faults last too long, `tinker-protocol`
 */
export async function awaitFuture(
  options: FutureOptions,
  request: FutureRequest,
): Promise<FutureResult> {
  let giveBytes: (() => void) | undefined;
  try {
    return await pollUntilDone(options, request, async (bytes) => {
      giveBytes ??= await options.resultBytes.acquire({ units: bytes, signal: request.signal });
    });
  } finally {
    giveBytes?.();
    options.pauses?.givenUp(request.requestId);
    options.tinker.bill.givenUp(request.requestId);
  }
}

/** Calls `makeRoom` with the size that the server announced before requesting the result itself. */
async function pollUntilDone(
  options: FutureOptions,
  request: FutureRequest,
  makeRoom: (bytes: number) => Promise<void>,
): Promise<FutureResult> {
  const { clock, tinker } = options;
  const { requestId, signal, withTimerPaused = withoutTimer } = request;
  let isSizeAccepted = false;
  let polledAtMs = 0;
  let state: PollState = {
    silentMs: 0,
    isPaused: false,
    quickPolls: 0,
    noAnswers: 0,
    badRequests: 0,
    billingMs: 0,
    delayMs: 0,
  };
  for (let iteration = 0; ; iteration++) {
    const { delayMs, isPaused } = state;
    const poll = await (isPaused ? withTimerPaused : withoutTimer)(async () => {
      if (delayMs > 0) await clock.sleep(delayMs, signal);
      signal?.throwIfAborted();
      polledAtMs = clock.monotonic();
      return await pollOnce(options, request, iteration, !isSizeAccepted);
    });
    noteProgress(options, requestId, poll);
    if (poll.kind === "done") return poll.result;
    if (poll.kind === "size-notice") {
      isSizeAccepted = true;
      await withTimerPaused(() => makeRoom(poll.bytes));
    }
    const nowMs = clock.monotonic();
    state = afterPoll(state, poll, nowMs - polledAtMs);
    checkLimits(options, request, poll, state);
    if (poll.kind === "billing") tinker.reportBlocked(poll.text, requestId);
  }
}

/** Updates the notices about pauses and bills from a poll's answer. */
function noteProgress({ pauses, tinker }: FutureOptions, requestId: string, poll: Poll): void {
  if (poll.kind !== "pending" && poll.kind !== "done") return;
  tinker.bill.recovered(requestId);
  if (poll.kind === "pending" && isPausedState(poll.state)) {
    pauses?.failed(pauseReason(poll), requestId);
  } else pauses?.recovered(requestId);
}

/** The state after a poll, including the wait before the next. */
function afterPoll(
  state: PollState,
  poll: Exclude<Poll, { kind: "done" }>,
  tookMs: number,
): PollState {
  const isQuick = tookMs < quickPollMs;
  const silentMs = state.silentMs + state.delayMs + Math.min(tookMs, pollTimeoutMs);
  const answered = { ...state, silentMs: 0, noAnswers: 0, badRequests: 0, delayMs: 0 };
  const quickPolls = isQuick ? state.quickPolls + 1 : 0;
  // Otherwise a server that answers immediately would be polled without a pause.
  const quickDelayMs = isQuick ? doubledMs(quickPollPause, state.quickPolls) : 0;
  switch (poll.kind) {
    case "pending":
      return {
        ...answered,
        isPaused: isPausedState(poll.state),
        quickPolls,
        delayMs: quickDelayMs,
      };
    case "held":
      return answered;
    case "size-notice":
      return { ...answered, isPaused: false };
    case "server-error":
      return { ...state, silentMs, noAnswers: 0, quickPolls, delayMs: quickDelayMs };
    case "no-answer":
      return {
        ...state,
        silentMs,
        noAnswers: state.noAnswers + 1,
        delayMs: doubledMs(noAnswerPause, state.noAnswers),
      };
    case "bad-request":
      return { ...state, silentMs, noAnswers: 0, badRequests: state.badRequests + 1, delayMs: 0 };
    case "billing":
      return {
        ...answered,
        isPaused: true,
        billingMs: state.billingMs + billingPollMs,
        delayMs: billingPollMs,
      };
  }
}

function checkLimits(
  options: FutureOptions,
  request: FutureRequest,
  poll: Poll,
  state: PollState,
): void {
  const what = describe(request);
  if (poll.kind === "bad-request" && state.badRequests >= maxBadRequests) {
    throw operationRefused(what, poll.text);
  }
  if (poll.kind === "billing" && state.billingMs > options.billingPauseMs()) {
    throw statusError({ status: 402, text: poll.text, what, attempts: 1 });
  }
  if (poll.kind !== "no-answer" && poll.kind !== "server-error") return;
  options.log.debug(`Tinker: no result of ${what} yet`, { cause: poll.cause });
  const { silentMs } = state;
  if (silentMs < options.noAnswerLimitMs) return;
  throw tinkerError(
    "tinker-unavailable",
    `No result of ${what} for ${Math.round(silentMs / 60_000)} minutes (${poll.cause})`,
  );
}

async function pollOnce(
  { tinker, clock }: FutureOptions,
  request: FutureRequest,
  iteration: number,
  allowMetadataOnly: boolean,
): Promise<Poll> {
  const startedAtMs = clock.monotonic();
  let response: HttpResponse | null = null;
  try {
    response = await tinker.send({
      method: "POST",
      path: "retrieve_future",
      kind: "poll",
      body: { request_id: request.requestId, allow_metadata_only: allowMetadataOnly },
      headers: pollHeaders(request, iteration),
      timeoutMs: pollTimeoutMs,
      signal: request.signal,
    });
    return await readPollAnswer(response, describe(request));
  } catch (error) {
    if (!isAppError(error, "transport")) throw error;
    const isHeld =
      response === null &&
      clock.monotonic() - startedAtMs >= heldPollMs &&
      tinker.hasAnsweredSince(startedAtMs);
    return isHeld ? { kind: "held" } : { kind: "no-answer", cause: errorMessage(error) };
  }
}

function pollHeaders(request: FutureRequest, iteration: number): Record<string, string> {
  const isProtobuf = protobufOperations.includes(request.type);
  return withoutUndefined({
    "X-Tinker-Request-Iteration": String(iteration),
    "X-Tinker-Request-Type": request.type,
    Accept: isProtobuf ? resultAccept : undefined,
    "X-Tinker-Create-Promise-Roundtrip-Time":
      iteration === 0 ? String(request.roundTripMs / 1000) : undefined,
  });
}

function isPausedState(state: string): boolean {
  return state.startsWith("paused");
}

function pauseReason({ state, reason }: Extract<Poll, { kind: "pending" }>): string {
  return [pauseWords[state] ?? state, reason].filter(Boolean).join(": ");
}

function describe(request: FutureRequest): string {
  return `${request.type} ${request.requestId}`;
}
