/** Sampling from one frozen set of weights. */

import { isAppError } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import { tinkerError } from "./errors.ts";
import type { Accepted, Operations } from "./operations.ts";
import { readSampleResult } from "./results.ts";
import { retryAfterMs } from "./retry.ts";
import type { SamplingGate } from "./samplingGate.ts";
import type { TinkerSession } from "./session.ts";
import type { SampleBody } from "./wire.ts";
import type { SampleResult } from "./wireProto.ts";

export interface SampleRequest {
  readonly prompt: readonly number[];
  readonly maxTokens: number;
  readonly temperature: number;
  /** -1 = off. */
  readonly topK: number;
  readonly topP: number;
  readonly seed?: number | undefined;
  /** Absent: the model's end-of-text tokens stop; empty: nothing does. */
  readonly stop?: readonly number[] | undefined;
}

export interface Sample {
  /** With the stop token, if one was met. */
  readonly tokens: readonly number[];
  /** As long as `tokens`; null when the server gave none. */
  readonly logprobs: readonly number[] | null;
  readonly stopReason: "stop" | "length";
  /** The service's name for this sequence; null from older servers. */
  readonly sequenceId: string | null;
}

export interface SamplingClient {
  readonly samplerId: string;
  readonly baseModel: string | null;
  /** @throws AppError `tinker-*`; `tinker-protocol` unless there is one sequence with a log-prob for each token */
  sample(request: SampleRequest, options?: { readonly signal?: AbortSignal }): Promise<Sample>;
  /** Log-probability of each token after those before it; null where the server defines none, as for the first. */
  computeLogprobs(
    tokens: readonly number[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (number | null)[]>;
}

export interface SamplingClientOptions {
  readonly operations: Operations;
  readonly session: TinkerSession;
  readonly gate: SamplingGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly samplerId: string;
  readonly baseModel: string | null;
}

type SampleContent = Pick<SampleBody, "prompt" | "sampling_params" | "prompt_logprobs">;

const resubmitLimitMs = 120 * 60_000;
/** A waiting prompt counts 10 bytes for each token (Tinker wire, section 7.4). */
const smallPromptTokens = (128 * 1024) / 10;

export function createSamplingClient(options: SamplingClientOptions): SamplingClient {
  const { samplerId, session } = options;
  let nextSeqId = 0;
  const run = (content: SampleContent, signal: AbortSignal = session.signal) =>
    sampleUntilDone(options, content, () => nextSeqId++, signal);
  return {
    samplerId,
    baseModel: options.baseModel,
    sample: async (request, { signal } = {}) => {
      const content = sampleContent(request, request.prompt, false);
      const { result, accepted } = await run(content, signal);
      return toSample(result, accepted, samplerId);
    },
    computeLogprobs: async (tokens, { signal } = {}) => {
      const params = { maxTokens: 1, temperature: 1, topK: -1, topP: 1 };
      const { result } = await run(sampleContent(params, tokens, true), signal);
      return toPromptLogprobs(result, tokens.length, samplerId);
    },
  };
}

function sampleContent(
  params: Omit<SampleRequest, "prompt">,
  tokens: readonly number[],
  withPromptLogprobs: boolean,
): SampleContent {
  return {
    prompt: { chunks: [{ tokens, type: "encoded_text" }] },
    sampling_params: {
      max_tokens: params.maxTokens,
      seed: params.seed,
      stop: params.stop,
      temperature: params.temperature,
      top_k: params.topK,
      top_p: params.topP,
    },
    prompt_logprobs: withPromptLogprobs,
  };
}

/** Submits anew, under a new number, when the service has lost a sample (410; Tinker wire, sections 3.2 and 7.4). */
async function sampleUntilDone(
  options: SamplingClientOptions,
  content: SampleContent,
  takeSeqId: () => number,
  signal: AbortSignal,
): Promise<{ readonly result: SampleResult; readonly accepted: Accepted }> {
  const { operations, session, clock, random } = options;
  const startedAtMs = clock.monotonic();
  for (let losses = 0; ; losses++) {
    session.check();
    try {
      const accepted = await submitSample(options, content, takeSeqId(), signal);
      const result = readSampleResult(await operations.result(accepted, signal));
      return { result, accepted };
    } catch (error) {
      const isLost = isAppError(error, "tinker-expired");
      if (!isLost || clock.monotonic() - startedAtMs > resubmitLimitMs) throw error;
      const jitter = 0.75 + 0.5 * random.uniform();
      await clock.sleep(Math.min(500 * 2 ** losses, 10_000) * jitter, signal);
    }
  }
}

async function submitSample(
  { operations, gate, samplerId }: SamplingClientOptions,
  content: SampleContent,
  seqId: number,
  signal: AbortSignal,
): Promise<Accepted> {
  const body: SampleBody = {
    num_samples: 1,
    ...content,
    sampling_session_id: samplerId,
    seq_id: seqId,
    type: "sample",
  };
  const promptTokens = content.prompt.chunks[0]?.tokens.length ?? 0;
  const pauseMs = promptTokens <= smallPromptTokens ? 1_000 : 5_000;
  await gate.pass(signal);
  return await operations.submit(
    {
      type: "Sample",
      path: "asample",
      body,
      headers: { "X-Tinker-Sampling-Backpressure": "1" },
      signal,
    },
    {
      onBusy: async (answer) => {
        gate.pause(retryAfterMs(answer) ?? pauseMs);
        await gate.pass(signal);
      },
    },
  );
}

function toSample(result: SampleResult, accepted: Accepted, samplerId: string): Sample {
  const [sequence] = result.sequences;
  if (sequence === undefined || result.sequences.length !== 1) {
    throw broken(samplerId, `${result.sequences.length} sequences instead of one`);
  }
  const { tokens, logprobs, stopReason } = sequence;
  if (logprobs !== null && logprobs.length !== tokens.length) {
    throw broken(samplerId, `${logprobs.length} log-probs for ${tokens.length} tokens`);
  }
  return {
    tokens: [...tokens],
    logprobs: logprobs && [...logprobs],
    stopReason,
    sequenceId: accepted.ticket.sample_sequence_ids?.[0] ?? null,
  };
}

function toPromptLogprobs(
  { promptLogprobs }: SampleResult,
  promptLength: number,
  samplerId: string,
): readonly (number | null)[] {
  if (promptLogprobs?.length !== promptLength) {
    const count = promptLogprobs?.length ?? 0;
    throw broken(samplerId, `${count} prompt log-probs for ${promptLength} tokens`);
  }
  return Array.from(promptLogprobs, (logprob) => (Number.isNaN(logprob) ? null : logprob));
}

function broken(samplerId: string, problem: string) {
  return tinkerError("tinker-protocol", `Sampler ${samplerId} returned ${problem}`);
}
