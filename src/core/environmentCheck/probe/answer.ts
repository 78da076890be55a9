/** The reply to a call, including failures. */

import * as z from "zod";
import { type AppError, errorMessage, isAppError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { ToolCallOutcome } from "../../openreward/types.ts";
import { oneLine } from "../../util/textEdges.ts";

export type CallFailure =
  | "crashed"
  | "malformed"
  | "malformed-reward"
  | "lost"
  | "timeout"
  | "too-long"
  | "unavailable";

export type CallAnswer = { readonly ms: number } & (
  | {
      readonly kind: "result";
      readonly text: string;
      readonly hasImage: boolean;
      readonly reward: number | null;
      readonly finished: boolean;
      readonly metadata: JsonObject | null;
    }
  | { readonly kind: "rejected"; readonly reason: string; readonly text: string }
  | { readonly kind: "failed"; readonly failure: CallFailure; readonly text: string }
);

const FAILURES: Readonly<Partial<Record<string, CallFailure>>> = {
  "environment-tool-crashed": "crashed",
  "environment-protocol": "malformed",
  "environment-session-lost": "lost",
  "environment-reply-too-long": "too-long",
  timeout: "timeout",
};
const EVIDENCE_LENGTH = 200;

/** @throws anything that is not an AppError */
export async function readCall(
  call: () => Promise<ToolCallOutcome>,
  elapsedMs: () => number,
): Promise<CallAnswer> {
  try {
    const outcome = await call();
    const ms = elapsedMs();
    if (outcome.kind === "rejected") {
      return { kind: "rejected", ms, reason: outcome.reason, text: outcome.error };
    }
    const { blocks, reward, finished, metadata } = outcome;
    const text = blocks.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
    const hasImage = blocks.some(({ type }) => type === "image");
    return { kind: "result", ms, text, hasImage, reward, finished, metadata };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: "failed", ms: elapsedMs(), failure: failureOf(error), text: error.message };
  }
}

function failureOf(error: AppError): CallFailure {
  const failure = FAILURES[error.code] ?? "unavailable";
  return failure === "malformed" && isAboutReward(error.cause) ? "malformed-reward" : failure;
}

/** True for a reward of another type, or a number that JSON does not support. */
function isAboutReward(cause: unknown): boolean {
  if (cause instanceof z.ZodError) {
    return cause.issues.some(({ path }) => path.includes("reward"));
  }
  return cause instanceof SyntaxError && /NaN|Infinity|"reward"/.test(errorMessage(cause));
}

type FailedAnswer = Extract<CallAnswer, { kind: "failed" }>;

/** True for the result that ends an episode. */
export function isFinal(answer: CallAnswer): answer is Extract<CallAnswer, { kind: "result" }> {
  return answer.kind === "result" && answer.finished;
}

/** True for a call that failed. Slow calls and invalid rewards have their own checks. */
export function isBroken(answer: CallAnswer): answer is FailedAnswer & {
  readonly failure: Exclude<CallFailure, "timeout" | "malformed-reward">;
} {
  return (
    answer.kind === "failed" &&
    answer.failure !== "timeout" &&
    answer.failure !== "malformed-reward"
  );
}

/** Everything the environment wrote, including what the model does not see. */
export function answerText(answer: CallAnswer): string {
  const metadata = answer.kind === "result" ? answer.metadata : null;
  return metadata === null ? answer.text : `${answer.text}\n${JSON.stringify(metadata)}`;
}

/** The reply on one line, as evidence. */
export function describeAnswer(answer: CallAnswer): string {
  const text = shorten(answer.text);
  if (answer.kind === "failed") return `${answer.failure}: ${text}`;
  if (answer.kind === "rejected") return `rejected (${answer.reason}): ${text}`;
  const end = answer.finished ? ", finished" : "";
  return `reward ${answer.reward ?? "none"}${end}: ${text}`;
}

/** The call on one line, as evidence. */
export function describeCall({
  tool,
  input,
}: {
  readonly tool: string;
  readonly input: JsonObject;
}): string {
  return shorten(`${tool} ${JSON.stringify(input)}`);
}

/** One line of at most 200 characters. */
export function shorten(text: string): string {
  const line = oneLine(text.slice(0, 2 * EVIDENCE_LENGTH));
  return line.length <= EVIDENCE_LENGTH ? line : `${line.slice(0, EVIDENCE_LENGTH - 1)}…`;
}
