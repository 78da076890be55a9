/** Errors of the Tinker service that name the cause and the next step. */

import type { ErrorCode } from "../../errorCodes.ts";
import { AppError, isAppError } from "../../errors.ts";
import { isJsonObject } from "../../json.ts";
import { type KeySource, keyText } from "../../secrets/keySource.ts";
import { TINKER_CONSOLE_URL } from "../../services.ts";

function authStep(key: string): string {
  return `Check that ${key} is valid and may use this model or checkpoint.`;
}

const billingAddress = `Check the billing of your Tinker account at ${TINKER_CONSOLE_URL}`;
/** Advice for status 402. */
export const BILLING_STEP = `${billingAddress}.`;

const startAgain = "Start again; a run is resumed from its last checkpoint.";

/** Follows the message of a failed connection. */
export const thenStartAgain = "Then start again; a run is resumed from its last checkpoint.";

const nextSteps = {
  "tinker-auth": authStep("the key"),
  "tinker-billing": `${billingAddress}, then start or resume the run.`,
  "tinker-not-found": "Check the name and the base URL; it may have been deleted or have expired.",
  "tinker-bad-request": "Change the setting that the message names.",
  "tinker-conflict": startAgain,
  "tinker-expired": startAgain,
  "tinker-unavailable":
    "Check the connection and the service status, then start or resume the run.",
  "tinker-request-failed": "Remove the cause that the message names, then resume the run.",
  "tinker-protocol":
    "Check the base URL, and that the server speaks a Tinker version this program knows.",
  "tinker-invalid-input": "Correct the data before sending it.",
  "tinker-model-lost": startAgain,
} as const satisfies Partial<Record<ErrorCode, string>>;

export type TinkerErrorCode = keyof typeof nextSteps;

/** An error whose message ends with the next step, by default the one for its code. */
export function tinkerError(
  code: TinkerErrorCode,
  problem: string,
  details: { readonly data?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  nextStep: string = nextSteps[code],
): AppError {
  return new AppError(code, `${problem.replace(/\.$/, "")}. ${nextStep}`, details);
}

/** The message without its next step, for callers that take that step themselves. */
export function withoutNextStep({ message }: Pick<AppError, "message">): string {
  const step =
    [...Object.values(nextSteps), thenStartAgain].find((each) => message.endsWith(` ${each}`)) ??
    "";
  return message.slice(0, message.length - step.length).trimEnd();
}

/**
 * True if the error means that the service no longer knows the session or its model, sampler or future. Only for errors of calls
 * that did not name a checkpoint.
 */
export function isSessionLost(error: unknown): error is AppError {
  if (isAppError(error, "tinker-expired", "tinker-not-found")) return true;
  return isAppError(error, "tinker-model-lost") && isSessionLost(error.cause);
}

export interface FailedAnswer {
  readonly status: number;
  readonly text: string;
  /** Method and path, for the message. */
  readonly what: string;
  /** Number of attempts, including the last. */
  readonly attempts: number;
  /** Where the key that was sent comes from; absent = unknown. */
  readonly key?: KeySource | undefined;
}

/** The error for a status other than 2xx, with status, detail and attempts as `data`: `docs/protocols/tinker.md#statuses-and-retries`. */
export function statusError({ status, text, what, attempts, key }: FailedAnswer): AppError {
  const detail = errorDetail(text);
  const problem = `Tinker answered ${status} to ${what}${detail === "" ? "" : `: ${detail}`}`;
  const code = codeOfStatus(status);
  const data = { status, detail, attempts };
  const isAboutKey = code === "tinker-auth" && key !== undefined;
  return tinkerError(code, problem, { data }, isAboutKey ? authStep(keyText(key)) : undefined);
}

/** Error for a malformed binary message, on either side of the wire. */
export function malformedMessage(problem: string): AppError {
  return new AppError(
    "tinker-protocol",
    `A Tinker message cannot be read: ${problem}. Check that client and server use the same version.`,
  );
}

/** SkyRL's error after it unloaded a silent session's model, or after it restarted: `skyrl/tinker/engine.py`. */
const UNLOADED = /^Model \S+ not loaded\b/;

/** The error of an operation that failed after it was accepted; `tinker-not-found` if the service no longer has its model. */
export function requestFailed(what: string, text: string, category: unknown): AppError {
  const problem = `Tinker could not carry out ${what}: ${text}`;
  const known = category === "user" || category === "server" ? category : "unknown";
  const details = { data: { category: known, detail: text } };
  return UNLOADED.test(text)
    ? tinkerError("tinker-not-found", problem, details, startAgain)
    : tinkerError("tinker-request-failed", problem, details);
}

/** The error of an operation whose polls are all rejected with 400, which is how SkyRL reports a failed one. */
export function operationRefused(what: string, text: string): AppError {
  return requestFailed(what, errorDetail(text), "unknown");
}

function codeOfStatus(status: number): TinkerErrorCode {
  switch (status) {
    case 401:
    case 403:
      return "tinker-auth";
    case 402:
      return "tinker-billing";
    case 404:
      return "tinker-not-found";
    case 409:
      return "tinker-conflict";
    case 410:
      return "tinker-expired";
    case 408:
    case 425:
    case 429:
      return "tinker-unavailable";
    default:
      if (status >= 500) return "tinker-unavailable";
      return status >= 400 ? "tinker-bad-request" : "tinker-protocol";
  }
}

const maxDetailLength = 500;

/** The text of `detail`, whether a string or a list of validation messages; else the body itself. */
export function errorDetail(text: string): string {
  return describeDetail(text).slice(0, maxDetailLength).trim();
}

function describeDetail(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const detail = isJsonObject(body) ? body["detail"] : undefined;
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return text;
  return detail
    .filter(isJsonObject)
    .map(
      (item) => `${Array.isArray(item["loc"]) ? item["loc"].join(".") : ""} ${item["msg"] ?? ""}`,
    )
    .join("; ");
}
