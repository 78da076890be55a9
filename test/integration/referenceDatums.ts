/**
 * The original program's training data, as a wrapper around a training client: targets equal to the inputs, and all sampled
 * log-probs and advantages right-aligned at the end of the sequence. It exists to show that training with it teaches nothing.
 */

import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import type { Datum } from "../../src/core/tinker/wire/datum.ts";

export function withReferenceDatums(client: TrainingClient): TrainingClient {
  return {
    ...client,
    forwardBackward: async (data, ...rest) => {
      const { outputs, metrics } = await client.forwardBackward(data.map(referenceDatum), ...rest);
      // One position more than the caller sent.
      return {
        metrics,
        outputs: outputs.map(({ logprobs }) => ({ logprobs: logprobs.slice(0, -1) })),
      };
    },
  };
}

/** From a correct datum: full sequence, no shift, sampled values right-aligned. */
function referenceDatum({ tokens, lossInputs }: Datum): Datum {
  const { target_tokens: targets, logprobs, advantages } = lossInputs;
  const full = [...tokens, targets?.at(-1) ?? 0];
  const sampled = Array.from(advantages ?? [], (advantage, i) => ({
    advantage,
    q: logprobs?.[i] ?? 0,
  })).filter(({ advantage, q }) => advantage !== 0 || q !== 0);
  const before = Array.from({ length: full.length - sampled.length }, () => 0);
  return {
    tokens: full,
    lossInputs: {
      target_tokens: full,
      logprobs: [...before, ...sampled.map(({ q }) => q)],
      advantages: [...before, ...sampled.map(({ advantage }) => advantage)],
    },
  };
}
