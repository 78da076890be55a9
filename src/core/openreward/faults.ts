/** Converts failures of the protocol into the program's environment errors: `docs/protocols/openreward.md#statuses-and-retries`. */

import * as z from "zod";
import type { ErrorCode } from "../errorCodes.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import { type KeySource, keyText } from "../secrets/keySource.ts";
import { OPENREWARD_ACCOUNT_URL } from "../services.ts";
import { withoutEnd } from "../util/textEdges.ts";
import type { RemoteEnvironment, Split } from "./types.ts";

/** Where a failure happened; part of the message and data of every error. */
export interface FaultLocation {
  readonly environment: string;
  readonly sid: string | null;
  /** Method and path, for example `POST /call`. */
  readonly action: string;
  /** True after `/create` succeeded: a 404 then means that the session no longer exists. */
  readonly isInSession: boolean;
  /** Whether the server is OpenReward's own. */
  readonly isOpenReward: boolean;
  /** Log of a server that the program started, relative to the run folder; null if unknown. */
  readonly log?: string | null | undefined;
}

export interface HttpFailure {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | null;
  /** The key that was sent; absent if unknown. */
  readonly key?: KeySource | undefined;
}

/** Advice for an environment that ends episodes without a reward. */
export const REWARD_AT_END =
  "Give a reward with the call that ends the episode; 0 where it is not earned. Some servers send no reward for NaN and infinity.";

const MAX_DETAIL_CHARS = 500;

const detailBody = z.object({ detail: z.unknown() });

/** An AppError with its location. Never contains keys or request bodies. */
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

/** The error for an HTTP status other than 200 at this location. */
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
      // An open session has its place, so a refusal there is a failure of this session.
      return location.isInSession
        ? fault("environment-unavailable", `answered 429 (${detail}). Try again later.`)
        : fault(
            "environment-capacity",
            `at capacity (${detail}). Lower the number of concurrent rollouts or wait.`,
            { retryAfterMs },
          );
    case 500:
      // Without a session, none of the environment's code can have run, so the service itself failed.
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

/** Says that the environment's own code failed, and where its log is. */
export function crashText({ log = null }: Pick<FaultLocation, "log">, detail: string): string {
  const where = log === null ? "Check its logs." : logSentence(log);
  return `the environment's own code failed: ${withoutEnd(detail, /[.\s]/)}. ${where}`;
}

/** Says where to find the log of a server that the program started. */
export function logSentence(log: string): string {
  return `Its log is ${log} in the run folder.`;
}

/** True for the message of a full environment that opens no session, with status 503 or in an `error` event. */
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

/** The error for a failed connection; `cause` is the transport error. */
export function unavailable(location: FaultLocation, cause: unknown): AppError {
  return environmentFault(
    "environment-unavailable",
    location,
    `no complete answer: ${errorMessage(cause)}`,
    { cause },
  );
}

/** The error for a reply that violates ORS. */
export function protocolFault(location: FaultLocation, what: string, cause?: unknown): AppError {
  return environmentFault(
    "environment-protocol",
    location,
    `${what}. Check that the address is an ORS server of a supported version.`,
    { cause },
  );
}

/** The error for a reply longer than `limit`; asking again would not help. */
export function replyTooLong(location: FaultLocation, limit: string): AppError {
  return environmentFault(
    "environment-reply-too-long",
    location,
    `the answer is longer than the limit of ${limit}. Make the environment send less.`,
  );
}

/** The server's error text, shortened: `detail` of a JSON body, otherwise the body itself. */
export function readDetail(body: string): string {
  let detail: unknown = body;
  try {
    const parsed = detailBody.safeParse(JSON.parse(body));
    if (parsed.success) detail = parsed.data.detail;
  } catch {
    // Gateways reply with text or HTML; use the text itself.
  }
  const text = typeof detail === "string" ? detail : JSON.stringify(detail);
  return text.trim().slice(0, MAX_DETAIL_CHARS);
}

/**
 * Handles an error from counting tasks. If the server refuses the request, which contains only the split, the split does not exist, and
 * `configPath` names the key at fault. Returns other errors unchanged, including those from opening the query's session, which has no id
 * yet.
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

/** AppError `no-such-split` if the environment lists splits but not this one; otherwise null. */
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
