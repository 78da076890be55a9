/** Samples one turn and makes sure of its log-probs. */

import type { Chat } from "../chat/chat.ts";
import type { Renderer } from "../chat/renderer.ts";
import { AppError, isAppError } from "../errors.ts";
import type {
  Sample,
  SampleOptions,
  SampleRequest,
  SamplingClient,
} from "../tinker/samplingClient.ts";
import { type Deadline, timeoutError } from "../util/abort.ts";
import { areUsable } from "./ledger.ts";
import type { RolloutSettings } from "./settings.ts";

/** Its log-probs are null when the service gave none that can be trained on, and none could be computed. */
export interface SampledTurn extends Sample {
  /** True when the service's own log-probs were missing or unusable. */
  readonly wereMissing: boolean;
}

/** Tokens, or texts where the format has no token that ends a turn. */
export function stopsOf({ stopIds, stopTexts }: Renderer): readonly number[] | readonly string[] {
  return stopTexts.length === 0 ? stopIds : stopTexts;
}

interface SampleTurnOptions extends SampleOptions {
  /** False = log-probs that are unusable stay unknown; absent = they are computed anew. */
  readonly recomputesLogprobs?: boolean | undefined;
}

interface TimedSampling {
  readonly sampler: SamplingClient;
  readonly chat: Pick<Chat, "renderer">;
  readonly settings: Pick<
    RolloutSettings,
    "temperature" | "topK" | "topP" | "samplingTimeoutMs" | "recomputesLogprobs"
  >;
  /** Waits for a place among the samples in flight; returns what gives it back. */
  readonly sampleSlot: (signal: AbortSignal) => Promise<() => void>;
  /** That of the rollout; the wait for a place pauses it. */
  readonly limit: Deadline;
}

/**
 * One sample of a rollout within `sampling_timeout`, with the settings of its environment. `signal` is that of the limit, or follows it.
 * @throws AppError `timeout`, and as {@link sampleTurn}
 */
export async function sampleInTime(
  { sampler, chat, settings, sampleSlot, limit }: TimedSampling,
  asked: Pick<SampleRequest, "prompt" | "images" | "maxTokens" | "seed">,
  signal: AbortSignal = limit.signal,
): Promise<SampledTurn> {
  const { temperature, topK, topP, recomputesLogprobs, samplingTimeoutMs: limitMs } = settings;
  const { prompt, images = [], maxTokens, seed } = asked;
  const stop = stopsOf(chat.renderer);
  const request = { prompt, images, maxTokens, temperature, topK, topP, seed, stop };
  const release = await limit.withTimerPaused(() => sampleSlot(signal));
  const onLimit = (): Error => timeoutError("A sample (sampling_timeout)", limitMs);
  try {
    return await limit.runPart({ limitMs, onLimit }, (withSampleTimerPaused) =>
      sampleTurn(sampler, request, {
        signal,
        recomputesLogprobs,
        withTimerPaused: (wait) => limit.withTimerPaused(() => withSampleTimerPaused(wait)),
      }),
    );
  } finally {
    release();
  }
}

/**
 * One sample; unusable log-probs are computed anew from the whole stream, unless nothing needs them.
 * @throws AppError `prompt-too-long`, `sample-refused` for a request that the service does not take; `tinker-*`
 */
export async function sampleTurn(
  sampler: SamplingClient,
  request: SampleRequest,
  { recomputesLogprobs = true, ...options }: SampleTurnOptions,
): Promise<SampledTurn> {
  const drawn = await sampler.sample(request, options).catch((error: unknown) => {
    throw sampleRefusal(error, request) ?? error;
  });
  const { tokens } = drawn;
  if (areUsable(tokens, drawn.logprobs)) return { ...drawn, wereMissing: false };
  const logprobs = recomputesLogprobs ? await recompute(sampler, request, tokens, options) : null;
  return { ...drawn, logprobs, wereMissing: true };
}

/** Log-probs of `tokens` after `prompt`; null when the service cannot score prompts. */
async function recompute(
  sampler: SamplingClient,
  { prompt, images = [] }: SampleRequest,
  tokens: Sample["tokens"],
  options: SampleOptions,
): Promise<readonly number[] | null> {
  try {
    const all = await sampler.computeLogprobs([...prompt, ...tokens], { ...options, images });
    const own = all.slice(prompt.length).map((logprob) => logprob ?? Number.NaN);
    return areUsable(tokens, own) ? own : null;
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    return null;
  }
}

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
