/** Samples from one frozen set of weights. */

import { sum } from "../../shared/mean.ts";
import { isAppError } from "../errors.ts";
import type { ImageFile } from "../images/imageFile.ts";
import type { Clock, Random } from "../ports.ts";
import type { TokenUsage } from "../usage/tokenUsage.ts";
import type { UsageMeter } from "../usage/usageMeter.ts";
import type { Backoff } from "../util/backoff.ts";
import { retry, type TryOutcome } from "../util/retry.ts";
import { type WithTimerPaused, withoutTimer } from "../util/withTimerPaused.ts";
import type { Canceller } from "./cancelling.ts";
import type { Accepted, Operations } from "./operations.ts";
import { readSampleResult } from "./results.ts";
import { PROMPT_BYTES_PER_TOKEN, type SamplingGate } from "./samplingGate.ts";
import type { TinkerSession } from "./session.ts";
import { tinkerError } from "./transport/errors.ts";
import { LateJson } from "./transport/exchange.ts";
import { askedDelayMs } from "./transport/retry.ts";
import { inputParts, type TokenIds } from "./wire/modelInput.ts";
import { encodeSampleBody } from "./wire/sampleBody.ts";
import type { SampleResult } from "./wire/sampleProto.ts";

export interface SampleRequest {
  /** Token ids; negative ones refer to `images`, see `imageIds.ts`. */
  readonly prompt: TokenIds;
  /** The rollout's images; absent = none. */
  readonly images?: readonly ImageFile[];
  readonly maxTokens: number;
  readonly temperature: number;
  /** -1 = off. */
  readonly topK: number;
  readonly topP: number;
  readonly seed?: number | undefined;
  /** Token ids or texts. Absent = stop at the model's end-of-text tokens; empty = never stop early. */
  readonly stop?: readonly number[] | readonly string[] | undefined;
  /** True records what `stable_reinforce` needs to train on the sample; absent = false. */
  readonly recordsStability?: boolean | undefined;
}

/** Uses the decoded typed arrays where possible: lists take twice the memory, and one step creates thousands of long ones. */
export interface Sample {
  /** Includes the stop token, if one was sampled. */
  readonly tokens: TokenIds;
  /** As long as `tokens`; null if the server sent none or a different number. */
  readonly logprobs: readonly number[] | Float32Array | null;
  readonly stopReason: "stop" | "length";
  /** Names the sample in its session; present if the request recorded it. */
  readonly sequenceId?: string | undefined;
}

export interface SampleOptions {
  readonly signal?: AbortSignal;
  /** Runs every wait for capacity, pauses and payments, so that the caller can pause its timer meanwhile. */
  readonly withTimerPaused?: WithTimerPaused;
  /** Counts the request's tokens; tokens of a lost or abandoned request count as discarded. */
  readonly meter?: UsageMeter;
}

export interface SamplingClient {
  readonly samplerId: string;
  readonly baseModel: string | null;
  /** @throws AppError `tinker-*`; `tinker-protocol` unless exactly one sequence is returned */
  sample(request: SampleRequest, options?: SampleOptions): Promise<Sample>;
  /**
   * Log-probability of each token given the ones before it; null where the server defines none, as for the first token. `images`
   * are the images that negative ids refer to.
   */
  computeLogprobs(
    tokens: readonly number[],
    options?: SampleOptions & { readonly images?: readonly ImageFile[] },
  ): Promise<readonly (number | null)[]>;
}

export interface SamplingClientOptions {
  readonly operations: Operations;
  readonly session: TinkerSession;
  readonly gate: SamplingGate;
  readonly canceller: Canceller;
  readonly clock: Clock;
  readonly random: Random;
  /** False = the server asks clients not to resubmit lost samples. */
  readonly mayResubmit: boolean;
  readonly samplerId: string;
  readonly baseModel: string | null;
}

interface Drawing {
  readonly request: SampleRequest;
  /** True also requests the log-probabilities of the prompt. */
  readonly isScored: boolean;
}

/** With the sequence that the accepted request announced; null if the server announced none. */
interface Drawn extends SampleResult {
  readonly sequenceId: string | null;
}

interface DrawOptions extends Required<Pick<SampleOptions, "signal" | "withTimerPaused">> {
  readonly meter: UsageMeter | undefined;
}

/** How long to keep resubmitting lost samples while none finishes. */
const resubmitLimitMs = 120 * 60_000;
const resubmitBackoff: Backoff = { firstMs: 625, maxMs: 12_500, jitter: 0.4 };

export function createSamplingClient(options: SamplingClientOptions): SamplingClient {
  const { samplerId } = options;
  const sampler = new Sampler(options);
  return {
    samplerId,
    baseModel: options.baseModel,
    sample: async (request, sampleOptions = {}) => {
      const drawn = await sampler.draw({ request, isScored: false }, sampleOptions);
      return { ...toSample(drawn, samplerId), sequenceId: recordedId(request, drawn, samplerId) };
    },
    computeLogprobs: async (tokens, { images = [], ...sampleOptions } = {}) => {
      const params = { maxTokens: 1, temperature: 1, topK: -1, topP: 1 };
      const request = { ...params, prompt: tokens, images };
      const result = await sampler.draw({ request, isScored: true }, sampleOptions);
      return toPromptLogprobs(result, tokens.length, samplerId);
    },
  };
}

/** Request numbers and progress of one sampler. */
class Sampler {
  readonly #options: SamplingClientOptions;
  #nextSeqId = 0;
  #lastFinishedAtMs: number;

  constructor(options: SamplingClientOptions) {
    this.#options = options;
    this.#lastFinishedAtMs = options.clock.monotonic();
  }

  /** Resubmits under a new number if the service lost the sample (410). */
  async draw(
    drawing: Drawing,
    { signal = this.#options.session.signal, withTimerPaused = withoutTimer, meter }: SampleOptions,
  ): Promise<Drawn> {
    const { clock, random, session, mayResubmit } = this.#options;
    const startedAtMs = clock.monotonic();
    const attempt = async (): Promise<TryOutcome<Drawn>> => {
      session.check();
      try {
        const result = await this.#drawOnce(drawing, { signal, withTimerPaused, meter });
        this.#lastFinishedAtMs = clock.monotonic();
        return { kind: "done", result };
      } catch (error) {
        const progressAtMs = Math.max(startedAtMs, this.#lastFinishedAtMs);
        const isHopeless = clock.monotonic() - progressAtMs > resubmitLimitMs;
        if (!isAppError(error, "tinker-expired") || !mayResubmit || isHopeless) throw error;
        return { kind: "failed", error };
      }
    };
    return await retry(attempt, { clock, random, signal, backoff: resubmitBackoff });
  }

  async #drawOnce(drawing: Drawing, { meter, ...waiting }: DrawOptions) {
    const { operations, canceller } = this.#options;
    const promptTokens = drawing.request.prompt.length;
    const accepted = await this.#submit(drawing, waiting);
    try {
      const result = readSampleResult(await operations.result(accepted, waiting));
      meter?.add(usageOf(result, promptTokens));
      return { ...result, sequenceId: accepted.future.sample_sequence_ids?.[0] ?? null };
    } catch (error) {
      const isGivenUp = waiting.signal.aborted;
      if (isGivenUp) canceller.cancel(accepted.future.request_id);
      // A request that the service rejects uses no tokens.
      if (isGivenUp || isAppError(error, "tinker-expired")) {
        meter?.addDiscarded({ prefill_uncached: promptTokens });
      }
      throw error;
    }
  }

  /** After a 429, the same number is resubmitted once the gate allows it. */
  async #submit(
    { request, isScored }: Drawing,
    { signal, withTimerPaused }: Omit<DrawOptions, "meter">,
  ): Promise<Accepted> {
    const { operations, gate, samplerId, clock } = this.#options;
    const sequence = { sampling_session_id: samplerId, seq_id: this.#nextSeqId++ };
    const body = new LateJson(() =>
      encodeSampleBody(request, sampleBody(request, isScored, sequence)),
    );
    const promptCost = costOf(request);
    return await operations.submit(
      {
        type: "Sample",
        path: "asample",
        body,
        headers: { "X-Tinker-Sampling-Backpressure": "1" },
        signal,
      },
      {
        throttle: {
          enter: () => gate.enter(promptCost, signal),
          onBusy: (answer) => gate.pause(promptCost, askedDelayMs(answer, clock.now())),
        },
        withTimerPaused,
      },
    );
  }
}

function usageOf(
  { sequences, promptCacheHitTokens }: SampleResult,
  promptTokens: number,
): Partial<TokenUsage> {
  const cached = Math.min(Math.max(0, promptCacheHitTokens), promptTokens);
  return {
    sampled: sequences.reduce((sum, { tokens }) => sum + tokens.length, 0),
    prefill_cached: cached,
    prefill_uncached: promptTokens - cached,
  };
}

/** In text tokens; an image counts by its size in the request. */
function costOf({ prompt, images = [] }: SampleRequest): number {
  if (images.length === 0) return prompt.length;
  const costs = inputParts(prompt, images).map((part) =>
    part.kind === "text"
      ? part.run.end - part.run.start
      : Math.ceil(part.image.base64.length / PROMPT_BYTES_PER_TOKEN),
  );
  return sum(costs);
}

function sampleBody(
  request: SampleRequest,
  isScored: boolean,
  sequence: { readonly sampling_session_id: string; readonly seq_id: number },
) {
  return {
    num_samples: 1,
    sampling_params: {
      max_tokens: request.maxTokens,
      seed: request.seed,
      stop: request.stop,
      temperature: request.temperature,
      top_k: request.topK,
      top_p: request.topP,
    },
    prompt_logprobs: isScored,
    record_stability_info: request.recordsStability || undefined,
    ...sequence,
    type: "sample",
  };
}

function toSample({ sequences }: SampleResult, samplerId: string): Sample {
  const [sequence] = sequences;
  if (sequence === undefined || sequences.length !== 1) {
    throw broken(samplerId, `${sequences.length} sequences instead of one`);
  }
  const { tokens, logprobs, stopReason } = sequence;
  const wrong = tokens.find((id) => id < 0);
  if (wrong !== undefined) throw broken(samplerId, `the token ${wrong}, which is not a token id`);
  return {
    tokens,
    logprobs: logprobs?.length === tokens.length ? logprobs : null,
    stopReason,
  };
}

/** Undefined unless the request asks for it: other losses need no ids, and some servers send none. */
function recordedId(
  { recordsStability = false }: SampleRequest,
  { sequenceId }: Drawn,
  samplerId: string,
): string | undefined {
  if (!recordsStability) return undefined;
  if (sequenceId !== null) return sequenceId;
  const problem = `Sampler ${samplerId} names no sequence of a sample (sample_sequence_ids), which loss_fn: stable_reinforce needs`;
  const details = { data: { detail: problem } };
  throw tinkerError("tinker-protocol", problem, details, "Set loss_fn to ppo or cispo.");
}

/** SkyRL omits the first value, which is undefined anyway. */
function toPromptLogprobs(
  { promptLogprobs }: SampleResult,
  promptLength: number,
  samplerId: string,
): readonly (number | null)[] {
  const count = promptLogprobs?.length ?? 0;
  if (promptLogprobs === null || (count !== promptLength && count !== promptLength - 1)) {
    throw broken(samplerId, `${count} prompt log-probs for ${promptLength} tokens`);
  }
  const values = Array.from(promptLogprobs, (value) => (Number.isNaN(value) ? null : value));
  return count === promptLength ? values : [null, ...values];
}

function broken(samplerId: string, problem: string) {
  return tinkerError("tinker-protocol", `Sampler ${samplerId} returned ${problem}`);
}
