/** Owns how failures of the wire become the program's environment errors: `docs/protocols/openreward.md#statuses-and-retries`. */

import * as z from "zod";
import type { ErrorCode } from "../errorCodes.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import { type KeySource, keyText } from "../secrets/keySource.ts";
import { OPENREWARD_ACCOUNT_URL } from "../services.ts";
import { withoutEnd } from "../util/textEdges.ts";
import type { RemoteEnvironment, Split } from "./types.ts";

/** Where a failure happened: goes into message and data of every error. */
export interface FaultLocation {
  readonly environment: string;
  readonly sid: string | null;
  /** Method and path, for example `POST /call`. */
  readonly action: string;
  /** True once `/create` succeeded: a 404 then means that the session no longer exists. */
  readonly isInSession: boolean;
  /** Whether OpenReward itself answers. */
  readonly isOpenReward: boolean;
  /** The log of a server that the program started, from the run folder; null = unknown. */
  readonly log?: string | null | undefined;
}

export interface HttpFailure {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | null;
  /** What was sent as the key; absent = unknown. */
  readonly key?: KeySource | undefined;
}

const MAX_DETAIL_CHARS = 500;

const detailBody = z.object({ detail: z.unknown() });

/** An AppError with its location; never holds keys or bodies that we sent. */
export function environmentFault(
  code: ErrorCode,
  location: FaultLocation,
  text: string,
  details: { readonly data?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
): AppError {
  const { environment, sid, action } = location;
  return new AppError(code, `Environment ${environment}, ${action}: ${text}`, {
    data: { environment, sid, ...details.data },
    cause: details.cause,
  });
}

/** The error that an HTTP status other than 200 means at this location. */
export function httpFault(location: FaultLocation, failure: HttpFailure): AppError {
  const { status, retryAfterMs, key } = failure;
  const detail = readDetail(failure.body) || "no details given";
  const isFull = status === 503 && !location.isInSession && saysFull(detail);
  if (isFull) return httpFault(location, { ...failure, status: 429 });
  const fault = (code: ErrorCode, text: string, data = {}): AppError =>
    environmentFault(code, location, text, { data: { status, detail, ...data } });
  switch (status) {
    case 401:
    case 403:
      return fault("environment-auth", `access denied (${status}: ${detail}). ${accessStep(key)}`);
    case 402:
      return fault(
        "environment-billing",
        `no credit is left (402: ${detail}). ${creditStep(location.isOpenReward)}`,
      );
    case 404:
      return location.isInSession
        ? fault(
            "environment-session-lost",
            `the session no longer exists (${detail}). Repeat the rollout.`,
          )
        : fault(
            "environment-not-found",
            `not found (${detail}). Check the name: hosted names are Owner/Name and case-sensitive.`,
            { near: [] },
          );
    case 410:
      return fault("environment-session-lost", `the session was deleted. Repeat the rollout.`);
    case 429:
      return fault(
        "environment-capacity",
        `at capacity (${detail}). Lower the number of concurrent rollouts or wait.`,
        { retryAfterMs },
      );
    case 500:
      // Without a session no code of the environment can have run: the service itself failed.
      return location.sid === null
        ? fault("environment-unavailable", `answered 500 (${detail}). Try again later.`)
        : fault("environment-tool-crashed", crashText(location, detail));
    default:
      return status >= 500 || status === 408
        ? fault("environment-unavailable", `answered ${status} (${detail}). Try again later.`)
        : fault(
            "environment-protocol",
            `refused the request (${status}: ${detail}). Check the split, the task index and the server's version.`,
          );
  }
}

/** That the environment's own code failed, and where to read about it. */
export function crashText({ log = null }: Pick<FaultLocation, "log">, detail: string): string {
  const where = log === null ? "Check its logs." : logSentence(log);
  return `the environment's own code failed: ${withoutEnd(detail, /[.\s]/)}. ${where}`;
}

/** Where the output of a server is that the program started. */
export function logSentence(log: string): string {
  return `Its log is ${log} in the run folder.`;
}

/** True for what a full environment says when it opens no session, with status 503 or in an `error` event. */
export function saysFull(detail: string): boolean {
  return /\bmaximum capacity\b/i.test(detail);
}

function accessStep(key: KeySource | undefined): string {
  if (key?.origin === null) return `Set ${key.name}: no key was sent.`;
  const what = key === undefined ? "the API key" : keyText(key);
  return `Check ${what} and that your account may use this environment.`;
}

/** What to do about status 402. */
export function creditStep(isOpenReward: boolean): string {
  return isOpenReward
    ? `Add credit to your OpenReward account at ${OPENREWARD_ACCOUNT_URL}.`
    : "Add credit to the account that its key belongs to.";
}

/** The error for a connection that failed, `cause` being the transport's error. */
export function unavailable(location: FaultLocation, cause: unknown): AppError {
  return environmentFault(
    "environment-unavailable",
    location,
    `no complete answer: ${errorMessage(cause)}`,
    { cause },
  );
}

/** The error for a reply that ORS does not allow. */
export function protocolFault(location: FaultLocation, what: string, cause?: unknown): AppError {
  return environmentFault(
    "environment-protocol",
    location,
    `${what}. Check that the address is an ORS server of a supported version.`,
    { cause },
  );
}

/** The error for an answer that is longer than `limit`; asking again would bring it again. */
export function replyTooLong(location: FaultLocation, limit: string): AppError {
  return environmentFault(
    "environment-reply-too-long",
    location,
    `the answer is longer than the limit of ${limit}. Make the environment send less.`,
  );
}

/** What the server says in the body of an error, shortened: `detail` where the body is JSON that has it, else the text. */
export function readDetail(body: string): string {
  let detail: unknown = body;
  try {
    const parsed = detailBody.safeParse(JSON.parse(body));
    if (parsed.success) detail = parsed.data.detail;
  } catch {
    // Gateways answer in text or HTML: the text itself is the detail.
  }
  const text = typeof detail === "string" ? detail : JSON.stringify(detail);
  return text.trim().slice(0, MAX_DETAIL_CHARS);
}

/**
 * Of a number of tasks that was asked for: a server that refuses the request, which has nothing but the split in it, does not have the
 * split, which the key `configPath` names. Other errors stay as they are, also those of the session that is opened first, which has no
 * id yet.
 */
export async function splitFault(
  error: unknown,
  {
    remote,
    split,
  }: { readonly remote: Pick<RemoteEnvironment, "name" | "splits">; readonly split: string },
  configPath?: string,
): Promise<unknown> {
  if (!isAppError(error, "environment-protocol")) return error;
  const { status, sid } = error.data;
  if (status !== 400 || sid === null) return error;
  const splits = await remote.splits().catch(() => []);
  const fault = noSuchSplit(remote.name, split, splits);
  return new AppError("no-such-split", fault?.message ?? error.message, {
    configPath,
    cause: error,
  });
}

/** AppError `no-such-split` where the environment lists splits without this one. */
export function noSuchSplit(
  environment: string,
  split: string,
  splits: readonly Split[],
): AppError | null {
  const names = splits.map(({ name }) => name);
  if (names.length === 0 || names.includes(split)) return null;
  const message = `${environment} has no split ${split}. It has ${names.join(", ")}.`;
  return new AppError("no-such-split", message);
}
