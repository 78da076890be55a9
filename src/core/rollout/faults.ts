/** What a rollout does about a fault. */

import { type AppError, isAppError } from "../errors.ts";

export type FaultReaction =
  /** Start again in a fresh session. */
  | "retry"
  /** As `retry`, with other seeds: the tool crashed, and the same samples would crash it again. */
  | "resample"
  /** Nothing to repeat: there was no fault, or this rollout cannot go on, but others can. */
  | "end"
  /** Every other rollout would fail in the same way. */
  | "fatal";

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
  "rollout-image",
  "image-invalid",
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

/** For any fault but that of a full environment, for which a rollout waits; null = no fault. */
export function faultReaction(error: unknown): FaultReaction {
  if (isAppError(error, "environment-tool-crashed")) return "resample";
  if (isAppError(error) && RETRIED.has(error.code)) return "retry";
  // An unexpected error is taken to concern this rollout alone.
  return !isAppError(error) || ENDED.has(error.code) ? "end" : "fatal";
}
