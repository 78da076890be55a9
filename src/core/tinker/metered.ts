/** Wraps clients so that they count the tokens of their requests. */

import type { UsageMeter } from "../usage/usageMeter.ts";
import type { SamplingClient } from "./samplingClient.ts";
import type { TrainingClient } from "./trainingClient.ts";

export function meteredSampler(sampler: SamplingClient, meter: UsageMeter): SamplingClient {
  const { baseModel, samplerId } = sampler;
  return {
    baseModel,
    samplerId,
    sample: (request, options) => sampler.sample(request, { ...options, meter }),
    computeLogprobs: (tokens, options) => sampler.computeLogprobs(tokens, { ...options, meter }),
  };
}

/** Counts training data on submit; a forward-only pass counts as prompt tokens. */
export function meteredTraining(client: TrainingClient, meter: UsageMeter): TrainingClient {
  return {
    modelId: client.modelId,
    info: () => client.info(),
    forwardBackward: (...request) => {
      const [data, , , options] = request;
      const tokens = data.reduce((sum, datum) => sum + datum.tokens.length, 0);
      meter.add(options?.forwardOnly === true ? { prefill_uncached: tokens } : { trained: tokens });
      return client.forwardBackward(...request);
    },
    optimStep: (parameters) => client.optimStep(parameters),
    saveState: (...request) => client.saveState(...request),
    saveSampler: (...request) => client.saveSampler(...request),
    ephemeralSampler: () => client.ephemeralSampler(),
  };
}
