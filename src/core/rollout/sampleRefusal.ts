/** Distinguishes a sample that the service refused because of its content from faults that say nothing about the rollout. */

import { AppError, isAppError } from "../errors.ts";
import type { SampleRequest } from "../tinker/samplingClient.ts";

/** 400 Bad Request is about this request; 422 is about the form, which all requests share. */
const BAD_REQUEST = 400;
const CONTENT_TOO_LARGE = 413;

/** How services word a prompt that does not fit: the hosted one, and those that build on vLLM or SGLang. */
const OVERFLOW =
  /context (window|length)|sequence length|max_model_len|(prompt|input) is too long/i;

/**
 * The error that a rollout ends with: `prompt-too-long` where the service says that the context is full or the request too large, `sample-refused` for any
 * other request that it does not take. Null for what is not a refusal of this one request.
 */
export function sampleRefusal(error: unknown, request: SampleRequest): AppError | null {
  if (!isAppError(error, "tinker-bad-request", "tinker-request-failed")) return null;
  const { status, category, detail } = error.data;
  const said = typeof detail === "string" && detail !== "" ? detail.replace(/\.$/, "") : null;
  const isOverflow = status === CONTENT_TOO_LARGE || (said !== null && OVERFLOW.test(said));
  if (!isOverflow && status !== BAD_REQUEST && category !== "user") return null;
  const asked = `a prompt of ${request.prompt.length} tokens with up to ${request.maxTokens} tokens to come`;
  const problem = `The sampler refused ${asked}: ${said ?? "it gave no reason"}.`;
  return isOverflow
    ? new AppError(
        "prompt-too-long",
        `${problem} Lower max_response_tokens or max_total_tokens, or choose tasks with shorter prompts.`,
        { configPath: "max_total_tokens", cause: error },
      )
    : new AppError(
        "sample-refused",
        `${problem} Look at the rollout's prompt, and change the task or the setting that the message names.`,
        { cause: error },
      );
}
