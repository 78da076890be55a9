/**
 * How a rollout reacts to faults, depending on who caused them. What the policy caused is an outcome: the rollout keeps its rewards, gets
 * `nonterminal_reward`, and is trained on, so that the policy learns from it. What others caused is a failure: the rollout starts again
 * if that may help, and otherwise has no reward. The reference shows this table (`faultReference.ts`).
 */

import type { ErrorCode } from "../errorCodes.ts";
import { type AppError, isAppError } from "../errors.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";

export type FaultCause = "policy" | "environment" | "service" | "configuration" | "program";

export type FaultReaction =
  /** The rollout ends with a stop reason and its rewards count. */
  | "outcome"
  /** Starts again in a fresh session with the same seeds, up to `max_rollout_retries` times, then fails. */
  | "retry"
  /** Waits and starts again; the attempt does not count. */
  | "wait"
  /** Fails immediately, because a retry would fail the same way; other rollouts continue. */
  | "fail"
  /** Ends the run, because every other rollout would fail the same way. */
  | "end-run";

export interface FaultRule {
  /** What happens, as a sentence without a period, for the reference. */
  readonly what: string;
  readonly cause: FaultCause;
  readonly reaction: FaultReaction;
  /** Error codes that it covers; empty if there is no error. */
  readonly codes: readonly ErrorCode[];
  /** Where it must happen to count as an outcome; anywhere if absent. */
  readonly during?: "call" | "later-turn";
  /** Stop reasons recorded for an outcome; a fault that aborts a rollout is recorded as `error` or `max_retries`. */
  readonly stops?: readonly StopReason[];
}

/** Code for a reward that cannot be trained on. */
export const INVALID_REWARD = "environment-reward-invalid";
/** Class of an error without a code. */
const UNEXPECTED = "bug";

export const FAULT_RULES: readonly FaultRule[] = [
  {
    what: "The rollout reaches a limit of turns, calls, tokens or `rollout_timeout` after its first turn",
    cause: "policy",
    reaction: "outcome",
    codes: [],
    stops: [
      "max_turns",
      "max_tool_calls",
      "max_tokens",
      "max_sampled_tokens",
      "turn_truncated",
      "rollout_timeout",
    ],
  },
  {
    what: "Too many consecutive turns have no call, or a call that cannot be read",
    cause: "policy",
    reaction: "outcome",
    codes: [],
    stops: ["no_tool_call", "parse_error"],
  },
  {
    what: "A later turn no longer fits the model's context",
    cause: "policy",
    reaction: "outcome",
    codes: ["prompt-too-long"],
    during: "later-turn",
    stops: ["max_tokens"],
  },
  {
    what: "A call takes longer than `tool_timeout`, and `on_tool_timeout` is `end`, or the next call gets no answer either or finds that the episode is over",
    cause: "policy",
    reaction: "outcome",
    codes: ["tool-timeout"],
    during: "call",
    stops: ["tool_timeout"],
  },
  {
    what: "A tool crashes in a call",
    cause: "policy",
    reaction: "outcome",
    codes: ["environment-tool-crashed"],
    during: "call",
    stops: ["tool_crashed"],
  },
  {
    what: "A tool's answer has too many characters, or too many images for a rollout",
    cause: "policy",
    reaction: "outcome",
    codes: ["environment-reply-too-long", "rollout-image-limit"],
    during: "call",
    stops: ["tool_reply_too_long"],
  },
  {
    what: "The agent ends by itself before the environment ends the episode, fails, or takes longer than `agent.timeout`, after a turn of the model",
    cause: "policy",
    reaction: "outcome",
    codes: [],
    stops: ["agent_ended", "agent_failed", "agent_timeout"],
  },
  {
    what: "The environment is full",
    cause: "environment",
    reaction: "wait",
    codes: ["environment-capacity"],
  },
  {
    what: "The environment's service does not answer, loses the session, or violates the protocol, for example with `NaN` as a reward",
    cause: "environment",
    reaction: "retry",
    codes: ["environment-session-lost", "environment-unavailable", "environment-protocol"],
  },
  {
    what: "The environment crashes before the first turn, or while it scores a group",
    cause: "environment",
    reaction: "retry",
    codes: ["environment-tool-crashed"],
  },
  {
    what: "The agent ends, fails, takes too long or ends the episode by its own calls before a turn of the model",
    cause: "configuration",
    reaction: "retry",
    codes: ["agent-failed"],
  },
  {
    what: "The agent, or `agent.reward_command`, ends without a reward on its last line, or `agent.reward_command` takes too long",
    cause: "configuration",
    reaction: "fail",
    codes: ["agent-reward"],
  },
  {
    what: "The environment's prompt is too long or has too many images, or it sends a broken image",
    cause: "environment",
    reaction: "fail",
    codes: ["environment-reply-too-long", "rollout-image-limit", "image-invalid"],
  },
  {
    what: "The environment's rewards sum to more than 1e30 in absolute value",
    cause: "environment",
    reaction: "fail",
    codes: [INVALID_REWARD],
  },
  {
    what: "The first turn does not end within `rollout_timeout`, which is recorded as the stop reason",
    cause: "service",
    reaction: "fail",
    codes: [],
  },
  {
    what: "The model's service fails, or does not answer within a `sampling_timeout` that is below `rollout_timeout`",
    cause: "service",
    reaction: "retry",
    codes: ["timeout", "transport", "tinker-unavailable", "tinker-request-failed"],
  },
  {
    what: "The model's service refuses a sample because of its content",
    cause: "service",
    reaction: "fail",
    codes: ["sample-refused"],
  },
  {
    what: "The first prompt leaves no room for a turn, or a text-only model gets an image",
    cause: "configuration",
    reaction: "fail",
    codes: ["prompt-too-long", "rollout-image"],
  },
  {
    what: "The model's chat template refuses the first prompt of a task",
    cause: "configuration",
    reaction: "fail",
    codes: ["chat-render"],
  },
  {
    what: "A conversation cannot be written as tokens, a call comes after the end of its episode, or the program finds another error of its own",
    cause: "program",
    reaction: "fail",
    codes: ["chat-bridge", "rollout-after-end", "invariant", UNEXPECTED],
  },
  {
    what: "Anything else that affects all rollouts, such as a refused key, an account without credit or an unknown name",
    cause: "configuration",
    reaction: "end-run",
    codes: [],
  },
];

/** True for a fault of the environment's service, which says nothing about the task or the model. */
export function isServiceFault(error: unknown): error is AppError {
  return isAppError(error, "environment-unavailable", "environment-session-lost");
}

/** True for faults that every rollout of the environment would have: a refused key, no credit left, an unknown name. */
export function isRefusal(error: unknown): error is AppError {
  return isAppError(error, "environment-auth", "environment-billing", "environment-not-found");
}

/** Class of a fault in records and metrics: its error code. */
export function errorClass(error: unknown): string | null {
  if (error === null) return null;
  return isAppError(error) ? error.code : UNEXPECTED;
}

/** True for the class of a fault in this program itself. */
export function isInternalError(ofClass: string | null): boolean {
  return FAULT_RULES.some(
    ({ cause, codes }) => cause === "program" && codes.some((code) => code === ofClass),
  );
}

/** The stop reason if the policy caused the fault, in a call or in a turn after the first; otherwise null. */
export function policyOutcome(
  error: unknown,
  during: NonNullable<FaultRule["during"]>,
): StopReason | null {
  if (!isAppError(error)) return null;
  const rule = FAULT_RULES.find(
    (each) => each.during === during && each.codes.includes(error.code),
  );
  return rule?.stops?.[0] ?? null;
}

/**
 * Reaction to a fault that the policy did not cause. Unexpected errors are assumed to affect only this rollout; null counts as no fault.
 */
export function faultReaction(error: unknown): Exclude<FaultReaction, "outcome"> {
  if (!isAppError(error)) return "fail";
  for (const { codes, reaction } of FAULT_RULES) {
    if (reaction !== "outcome" && codes.includes(error.code)) return reaction;
  }
  return "end-run";
}
