/** Samples one turn and makes sure of its log-probs. */

import type { SampleOptions, SampleRequest, SamplingClient } from "../tinker/samplingClient.ts";
import { areUsable } from "./ledger.ts";

export interface SampledTurn {
  readonly tokens: readonly number[];
  /** Null when the service gave none that can be trained on, and none could be computed. */
  readonly logprobs: readonly number[] | null;
  readonly stopReason: "stop" | "length";
  /** True when the service's own log-probs were missing or unusable. */
  readonly wereMissing: boolean;
}

/** One sample; unusable log-probs are computed anew from the whole stream (training-loop rule D-6). */
export async function sampleTurn(
  sampler: SamplingClient,
  request: SampleRequest,
  options: SampleOptions,
): Promise<SampledTurn> {
  const { tokens, logprobs, stopReason } = await sampler.sample(request, options);
  if (areUsable(tokens, logprobs)) return { tokens, logprobs, stopReason, wereMissing: false };
  const recomputed = await recompute(sampler, request.prompt, tokens, options);
  return { tokens, logprobs: recomputed, stopReason, wereMissing: true };
}

/** Log-probs of `tokens` after `prompt`; null when the service cannot score prompts. */
async function recompute(
  sampler: SamplingClient,
  prompt: readonly number[],
  tokens: readonly number[],
  options: SampleOptions,
): Promise<readonly number[] | null> {
  try {
    const all = await sampler.computeLogprobs([...prompt, ...tokens], options);
    const own = all.slice(prompt.length).map((logprob) => logprob ?? Number.NaN);
    return areUsable(tokens, own) ? own : null;
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    return null;
  }
}
