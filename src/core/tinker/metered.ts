/** Clients that count what their requests take. */

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

/** Counts training data when it is submitted: a forward pass that trains nothing counts as a prompt. */
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
