/** Owns one streamed request (`/create_session`, `/call`) from post to result, across broken connections (ORS, section 5.5). */

import { AppError, isAppError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { HttpResponse } from "../ports.ts";
import { linkSignals } from "./deadline.ts";
import { beforeSilence, readEvents, type StreamEvent, withSilenceLimit } from "./eventStream.ts";
import { environmentFault, protocolFault, unavailable } from "./faults.ts";
import { createPatience, isStarting, type Patience, retryAfterMs } from "./patience.ts";
import type { StartingMeter } from "./startingMeter.ts";
import { type EnvironmentWire, readWhole, type WireRequest } from "./wire.ts";

const SILENCE_LIMIT_MS = 30_000;
/** Time for the server to end its stream after the last event, so that the connection can serve again. */
const DRAIN_MS = 250;
/** The first connection and six more without progress (ORS, section 10.4). */
const MAX_CONNECTIONS = 7;
/** A connection whose bytes flowed for so long counts as progress. */
const STEADY_STREAM_MS = 10_000;
/** With progress or without: nothing is opened again for ever. */
const MAX_CONNECTIONS_IN_ALL = 100;
const MAX_RESULT_CHARS = 64 * 1024 * 1024;
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([408, 502, 503, 504]);
/** Made once: an error with a stack for every stream would cost more than the stream. */
const NO_LONGER_READ = new DOMException("The stream is no longer read", "AbortError");

export interface StreamedJob {
  readonly request: WireRequest & { readonly body: JsonObject };
  /** True when running the job twice does no harm; otherwise it is not posted again unless it cannot have run. */
  readonly isRepeatable: boolean;
  /** True when a 429 is for the caller to handle. */
  readonly throwsCapacity: boolean;
  readonly onTaskId?: (taskId: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Told of the time in which the environment was still starting. */
  readonly meter?: StartingMeter | undefined;
}

export interface JobResult {
  readonly taskId: string | null;
  /** The joined pieces; empty = no result. */
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
 * Posts the job and returns its result; a broken or silent stream is opened again with its `task_id`.
 * @throws AppError `environment-tool-crashed` for an `error` event, `environment-unavailable`,
 * `environment-capacity`, and what other statuses mean.
 */
export async function runStreamedJob(wire: EnvironmentWire, job: StreamedJob): Promise<JobResult> {
  const { clock, random } = wire.dependencies;
  const { meter } = job;
  const patience = createPatience({ clock, random, maxAttempts: MAX_CONNECTIONS, meter });
  try {
    return await repeatJob(wire, job, patience);
  } finally {
    patience.release();
  }
}

async function repeatJob(
  wire: EnvironmentWire,
  job: StreamedJob,
  patience: Patience,
): Promise<JobResult> {
  const { sid, environment } = wire.placeOf(job.request);
  const { log } = wire.dependencies;
  let taskId: string | null = null;
  const onTaskId = (id: string): void => {
    taskId = id;
    job.onTaskId?.(id);
  };
  for (let breaks = 0; ; ) {
    const attempt = await attemptJob(wire, job, taskId, onTaskId);
    if (attempt.kind === "done") return { taskId, text: attempt.text };
    if (attempt.kind === "starting") {
      log.debug("environment is starting", { environment, sid });
      if (await patience.whileStarting(attempt.retryAfterMs, job.signal)) continue;
      throw attempt.error;
    }
    breaks += 1;
    const isSafe = taskId !== null || attempt.isUnsent || job.isRepeatable;
    const mayRepeat = isSafe && breaks < MAX_CONNECTIONS_IN_ALL;
    if (attempt.madeProgress) patience.restore();
    if (!mayRepeat || !(await patience.afterFailure(attempt.retryAfterMs, job.signal))) {
      throw attempt.error;
    }
    log.debug("environment stream is opened again", { environment, sid, taskId });
  }
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
  let lastByteMs = openedMs;
  try {
    const sending = wire.send({ ...request, body, acceptsEvents: true }, link.signal);
    // A first answer may wait for the set-up of the environment; that of a job under way comes at once.
    const response = await (taskId === null
      ? sending
      : beforeSilence(sending, clock, SILENCE_LIMIT_MS));
    if (response.status !== 200) return await readRefusal(wire, job, response);
    const text = await readResult(wire, request, response, {
      onTaskId,
      onBytes: () => {
        lastByteMs = clock.monotonic();
      },
    });
    return { kind: "done", text };
  } catch (error) {
    if (!isAppError(error, "transport", "silent")) throw error;
    const isUnsent = error.data["sent"] === false;
    return {
      kind: "broken",
      isUnsent,
      madeProgress: lastByteMs - openedMs >= STEADY_STREAM_MS,
      retryAfterMs: null,
      error: unavailable(wire.placeOf(request), error),
    };
  } finally {
    link.abort(NO_LONGER_READ);
    link.release();
  }
}

/** What a status other than 200 means for the job. @throws AppError when it decides */
async function readRefusal(
  wire: EnvironmentWire,
  job: StreamedJob,
  response: HttpResponse,
): Promise<Attempt> {
  const { status } = response;
  const error = wire.fault(job.request, response, await readWhole(response));
  const waitMs = retryAfterMs(response, wire.dependencies.clock.now());
  if (isStarting(response)) return { kind: "starting", retryAfterMs: waitMs, error };
  const isCapacity = status === 429 && !job.throwsCapacity;
  if (!isCapacity && !GATEWAY_STATUSES.has(status)) throw error;
  return {
    kind: "broken",
    isUnsent: isCapacity,
    madeProgress: false,
    retryAfterMs: waitMs,
    error,
  };
}

interface StreamListener {
  readonly onTaskId: (taskId: string) => void;
  readonly onBytes: () => void;
}

/** Reads the stream up to its result. @throws AppError `silent` or `transport` when it breaks off before */
async function readResult(
  wire: EnvironmentWire,
  request: WireRequest,
  response: HttpResponse,
  listener: StreamListener,
): Promise<string> {
  const { clock } = wire.dependencies;
  let text = "";
  let isComplete = false;
  const limitMs = (): number => (isComplete ? DRAIN_MS : SILENCE_LIMIT_MS);
  const chunks = tap(withSilenceLimit(response.stream(), clock, limitMs), listener.onBytes);
  try {
    for await (const event of readEvents(chunks)) {
      if (isComplete) continue;
      text += readEvent(wire, request, event, listener);
      if (text.length > MAX_RESULT_CHARS) {
        throw protocolFault(wire.placeOf(request), "the result exceeds 64 MB");
      }
      isComplete = event.name === "end";
    }
  } catch (error) {
    // Whatever goes wrong after the end event no longer matters.
    if (!isComplete) throw error;
  }
  if (!isComplete) throw new AppError("transport", "The event stream ended before its result.");
  return text;
}

/** The piece of the result that an event brings. @throws AppError for an `error` event */
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

async function* tap<T>(items: AsyncIterable<T>, onItem: () => void): AsyncGenerator<T> {
  for await (const item of items) {
    onItem();
    yield item;
  }
}

/** What an `error` event means: no session, a job that the server no longer knows, or a failure of the environment. */
function eventFault(wire: EnvironmentWire, request: WireRequest, message: string): AppError {
  const place = wire.placeOf(request);
  if (!place.isInSession) {
    const text = `no session was opened: ${message || "no reason given"}. Try again later.`;
    return environmentFault("environment-unavailable", place, text);
  }
  if (message.trim() === "unknown task_id") {
    return environmentFault(
      "environment-session-lost",
      place,
      "the server lost the running call, it was probably restarted. Repeat the rollout.",
    );
  }
  return environmentFault(
    "environment-tool-crashed",
    place,
    `the environment's own code failed: ${message || "no message given"}. Look into its logs.`,
  );
}
