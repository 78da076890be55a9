/** Samples one turn and checks its log-probabilities. */

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

/** Log-probabilities are null if the service gave no usable ones and none could be computed. */
export interface SampledTurn extends Sample {
  /** True when the service's own log-probabilities were missing or unusable. */
  readonly wereMissing: boolean;
}

/** Stop tokens, or stop texts if the format has no token that ends a turn. */
export function stopsOf({ stopIds, stopTexts }: Renderer): readonly number[] | readonly string[] {
  return stopTexts.length === 0 ? stopIds : stopTexts;
}

interface SampleTurnOptions extends SampleOptions {
  /** If false, unusable log-probabilities stay null; by default they are recomputed. */
  readonly recomputesLogprobs?: boolean | undefined;
}

interface TimedSampling {
  readonly sampler: SamplingClient;
  readonly chat: Pick<Chat, "renderer">;
  readonly settings: Pick<
    RolloutSettings,
    | "temperature"
    | "topK"
    | "topP"
    | "samplingTimeoutMs"
    | "recomputesLogprobs"
    | "recordsStability"
  >;
  /** Waits for a slot among the samples in flight; returns its release function. */
  readonly sampleSlot: (signal: AbortSignal) => Promise<() => void>;
  /** The rollout's deadline; paused while waiting for a slot. */
  readonly limit: Deadline;
}

/**
 * Samples a turn within `sampling_timeout`, with the environment's settings. `signal` is the limit's own signal or derived from it.
 * @throws AppError `timeout`, and as {@link sampleTurn}
 */
export async function sampleInTime(
  { sampler, chat, settings, sampleSlot, limit }: TimedSampling,
  asked: Pick<SampleRequest, "prompt" | "images" | "maxTokens" | "seed">,
  signal: AbortSignal = limit.signal,
): Promise<SampledTurn> {
  const { temperature, topK, topP, recordsStability } = settings;
  const { recomputesLogprobs, samplingTimeoutMs: limitMs } = settings;
  const { prompt, images = [], maxTokens, seed } = asked;
  const stop = stopsOf(chat.renderer);
  const drawn = { temperature, topK, topP, seed, stop, recordsStability };
  const request = { prompt, images, maxTokens, ...drawn };
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
 * Draws one sample. Unusable log-probabilities are recomputed from the whole stream, unless they are not needed.
 * @throws AppError `prompt-too-long` or `sample-refused` when the service refuses the request; `tinker-*`
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

/** Log-probabilities of `tokens` after `prompt`; null when the service cannot score prompts. */
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

/** 400 Bad Request concerns this request; 422 concerns the format, which all requests share. */
const BAD_REQUEST = 400;
const CONTENT_TOO_LARGE = 413;

/** How services report a prompt that is too long: the hosted service, and those built on vLLM or SGLang. */
const OVERFLOW =
  /context (window|length)|sequence length|max_model_len|(prompt|input) is too long/i;

/**
 * The error that ends a rollout: `prompt-too-long` when the service reports a full context or a request that is too large,
 * `sample-refused` for any other refused request. Null if the error does not concern this particular request.
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
