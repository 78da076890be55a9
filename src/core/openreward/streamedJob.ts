/**
 * Runs one streamed request (`/create_session`, `/call`) from post to result, across broken connections:
 * `docs/protocols/openreward.md#streams`.
 */

import { AppError, isAppError } from "../errors.ts";
import type { HttpResponse } from "../ports.ts";
import { linkSignals } from "../util/abort.ts";
import type { ExactJsonObject } from "../util/exactJson.ts";
import { retry, type TryOutcome } from "../util/retry.ts";
import { type WithTimerPaused, withoutTimer } from "../util/withTimerPaused.ts";
import { EventReader, IdleTimeout, type StreamEvent } from "./eventStream.ts";
import { crashText, environmentFault, httpFault, saysFull, unavailable } from "./faults.ts";
import { BACKOFF, createStartingWait, isStarting, waitAsked } from "./retryPolicy.ts";
import { type EnvironmentWire, readWhole, type WireRequest } from "./wire.ts";

const SILENCE_LIMIT_MS = 30_000;
/** Time for the server to close its stream after the last event, so that the connection can be reused. */
const DRAIN_MS = 250;
/** The first connection and six more without progress. */
const MAX_CONNECTIONS = 7;
/** A connection that received bytes for this long counts as progress. */
const STEADY_STREAM_MS = 10_000;
/** Limits connections overall, so that progress cannot cause endless retries. */
const MAX_TOTAL_CONNECTIONS = 100;
const REPEATED_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export interface StreamedJob {
  readonly request: WireRequest & { readonly body: ExactJsonObject };
  /** True when running the job twice is harmless; otherwise it is only posted again if it cannot have run. */
  readonly isRepeatable: boolean;
  readonly onTaskId?: (taskId: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Wraps waits for an environment that is still starting. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
  /** Wraps the wait for the result once the server has responded. */
  readonly whileRunning?: WithTimerPaused | undefined;
}

export interface JobResult {
  readonly taskId: string | null;
  /** The joined chunks; empty for no result. */
  readonly text: string;
}

type Attempt =
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "starting"; readonly retryAfterMs: number | null; readonly error: Error }
  | {
      readonly kind: "broken";
      /** True when the job cannot have run. */
      readonly isUnsent: boolean;
      readonly madeProgress: boolean;
      readonly retryAfterMs: number | null;
      readonly error: Error;
    };

/**
 * Posts the job and returns its result; a broken or silent stream is reopened with its `task_id`.
 * @throws AppError `environment-tool-crashed` for an `error` event, `environment-unavailable`, `environment-capacity`, and the errors of
 * other statuses
 */
export async function runStreamedJob(wire: EnvironmentWire, job: StreamedJob): Promise<JobResult> {
  const { sid, environment } = wire.locationOf(job.request);
  const { clock, random, log } = wire.dependencies;
  const { signal, withTimerPaused } = job;
  const startingWait = createStartingWait(clock);
  let taskId: string | null = null;
  const onTaskId = (id: string): void => {
    taskId = id;
    job.onTaskId?.(id);
  };
  let breaks = 0;

  async function attempt(): Promise<TryOutcome<JobResult>> {
    const attempt = await attemptJob(wire, job, taskId, onTaskId);
    if (attempt.kind === "done") return { kind: "done", result: { taskId, text: attempt.text } };
    if (attempt.kind === "starting") {
      log.debug("environment is starting", { environment, sid });
      const ms = startingWait(attempt.retryAfterMs);
      if (ms === null) throw attempt.error;
      return { kind: "pause", ms };
    }
    breaks += 1;
    const isSafe = taskId !== null || attempt.isUnsent || job.isRepeatable;
    if (!isSafe || breaks >= MAX_TOTAL_CONNECTIONS) throw attempt.error;
    const { error, madeProgress, retryAfterMs } = attempt;
    return { kind: "failed", error, afterMs: waitAsked(retryAfterMs), madeProgress };
  }

  return await retry(attempt, {
    clock,
    random,
    signal,
    backoff: BACKOFF,
    maxTries: MAX_CONNECTIONS,
    withTimerPaused,
    onRetry: () => log.debug("environment stream is opened again", { environment, sid, taskId }),
  });
}

async function attemptJob(
  wire: EnvironmentWire,
  job: StreamedJob,
  taskId: string | null,
  onTaskId: (taskId: string) => void,
): Promise<Attempt> {
  const { request } = job;
  const body = taskId === null ? request.body : { ...request.body, task_id: taskId };
  const link = linkSignals([job.signal]);
  const { clock } = wire.dependencies;
  const openedMs = clock.monotonic();
  const silence = new IdleTimeout(clock, (reason) => link.abort(reason));
  try {
    // The first response may wait for the environment's setup; the response for a running job is immediate.
    if (taskId !== null) silence.start(SILENCE_LIMIT_MS);
    const response = await wire.send({ ...request, body, acceptsEvents: true }, link.signal);
    silence.stop();
    if (response.status !== 200) return await readRefusal(wire, job, response);
    const { whileRunning = withoutTimer } = job;
    const text = await whileRunning(() =>
      readResult(wire, request, response, { onTaskId, silence }),
    );
    return { kind: "done", text };
  } catch (error) {
    if (!isAppError(error, "transport", "silent")) throw error;
    const isUnsent = error.data["sent"] === false;
    return {
      kind: "broken",
      isUnsent,
      madeProgress: silence.lastSignMs - openedMs >= STEADY_STREAM_MS,
      retryAfterMs: null,
      error: unavailable(wire.locationOf(request), error),
    };
  } finally {
    silence.stop();
    link.clear();
  }
}

/** What a status other than 200 means for the job. @throws AppError when it is final */
async function readRefusal(
  wire: EnvironmentWire,
  job: StreamedJob,
  response: HttpResponse,
): Promise<Attempt> {
  const { status } = response;
  const error = wire.fault(job.request, response, await readWhole(response));
  const waitMs = wire.retryAfterMs(response);
  if (isStarting(response)) return { kind: "starting", retryAfterMs: waitMs, error };
  const isFull = error.code === "environment-capacity";
  if (isFull || !REPEATED_STATUSES.has(status)) throw error;
  return {
    kind: "broken",
    isUnsent: status === 429,
    madeProgress: false,
    retryAfterMs: waitMs,
    error,
  };
}

interface StreamListener {
  readonly onTaskId: (taskId: string) => void;
  readonly silence: IdleTimeout;
}

/** Reads the stream until its result is complete. @throws AppError `silent` or `transport` when it breaks off earlier */
async function readResult(
  wire: EnvironmentWire,
  request: WireRequest,
  response: HttpResponse,
  listener: StreamListener,
): Promise<string> {
  const { silence } = listener;
  const events = new EventReader();
  let text = "";
  let isComplete = false;
  silence.start(SILENCE_LIMIT_MS);
  try {
    for await (const chunk of response.stream()) {
      silence.reset();
      for (const event of events.read(chunk)) {
        if (isComplete) continue;
        text += readEvent(wire, request, event, listener);
        isComplete = event.name === "end";
        if (isComplete) silence.start(DRAIN_MS);
      }
    }
  } catch (error) {
    // The result is complete, so an error after the end event does not matter.
    if (!isComplete) throw error;
  }
  if (!isComplete) throw new AppError("transport", "The event stream ended before its result.");
  return text;
}

/** The part of the result in an event. @throws AppError for an `error` event */
function readEvent(
  wire: EnvironmentWire,
  request: WireRequest,
  { name, data }: StreamEvent,
  listener: StreamListener,
): string {
  if (name === "error") throw eventFault(wire, request, data);
  if (name === "task_id") listener.onTaskId(data.trim());
  return name === "chunk" || name === "end" ? data : "";
}

/** Meaning of an `error` event: no session, a job the server no longer knows, or a failure of the environment. */
function eventFault(wire: EnvironmentWire, request: WireRequest, message: string): AppError {
  const location = wire.locationOf(request);
  if (!location.isInSession) {
    if (saysFull(message))
      return httpFault(location, { status: 429, body: message, retryAfterMs: null });
    const text = `no session was opened: ${message || "no reason given"}. Try again later.`;
    return environmentFault("environment-unavailable", location, text);
  }
  if (message.trim() === "unknown task_id") {
    return environmentFault(
      "environment-session-lost",
      location,
      "the server lost the running call, probably because it restarted. Repeat the rollout.",
    );
  }
  return environmentFault(
    "environment-tool-crashed",
    location,
    crashText(location, message || "no message given"),
  );
}
