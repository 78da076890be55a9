/** What a rollout does about a fault. */

import { type AppError, isAppError } from "../errors.ts";

export type FaultReaction =
  /** Start again in a fresh session; a crash of the tool changes the seeds, or the same crash would come again. */
  | { readonly kind: "retry"; readonly isToolCrash: boolean }
  /** No room at the moment: wait, without counting an attempt. */
  | { readonly kind: "wait"; readonly retryAfterMs: number | null }
  /** This rollout cannot go on; others can. */
  | { readonly kind: "end" }
  /** Every other rollout would fail in the same way. */
  | { readonly kind: "fatal" };

const RETRIED = new Set([
  "environment-session-lost",
  "environment-unavailable",
  "environment-protocol",
  "transport",
  "timeout",
  "tinker-unavailable",
  "tinker-request-failed",
]);
const ENDED = new Set([
  "environment-reply-too-long",
  "rollout-after-end",
  "chat-bridge",
  "prompt-too-long",
  "sample-refused",
  "invariant",
]);

/** True for a fault that says something about the environment's service, and nothing about the task or the model. */
export function isServiceFault(error: unknown): error is AppError {
  return isAppError(error, "environment-unavailable", "environment-session-lost");
}

/** True for faults that every rollout of the environment would have: a refused key, an unknown name. */
export function isRefusal(error: unknown): error is AppError {
  return isAppError(error, "environment-auth", "environment-not-found");
}

/** True for a request for a session that the server calls bad: the task may be at fault, or all of them. */
export function isBadOpening(error: unknown): error is AppError {
  return isAppError(error, "environment-protocol") && error.data["isOpening"] === true;
}

/** True for each of these three. */
export function isEnvironmentFault(error: unknown): error is AppError {
  return isServiceFault(error) || isRefusal(error) || isBadOpening(error);
}

export function faultReaction(error: unknown): FaultReaction {
  if (isAppError(error, "environment-tool-crashed")) return { kind: "retry", isToolCrash: true };
  if (isAppError(error, "environment-capacity")) {
    const retryAfterMs = error.data["retryAfterMs"];
    return { kind: "wait", retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : null };
  }
  if (isAppError(error) && RETRIED.has(error.code)) return { kind: "retry", isToolCrash: false };
  // An unexpected error is taken to concern this rollout alone.
  if (!isAppError(error) || ENDED.has(error.code)) return { kind: "end" };
  return { kind: "fatal" };
}
