/** Samples one turn and makes sure of its log-probs. */

import type { SampleRequest, SamplingClient } from "../tinker/samplingClient.ts";
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
  signal: AbortSignal,
): Promise<SampledTurn> {
  const { tokens, logprobs, stopReason } = await sampler.sample(request, { signal });
  if (areUsable(tokens, logprobs)) return { tokens, logprobs, stopReason, wereMissing: false };
  const all = await sampler.computeLogprobs([...request.prompt, ...tokens], { signal });
  const recomputed = all.slice(request.prompt.length).map((logprob) => logprob ?? Number.NaN);
  const usable = areUsable(tokens, recomputed) ? recomputed : null;
  return { tokens, logprobs: usable, stopReason, wereMissing: true };
}
