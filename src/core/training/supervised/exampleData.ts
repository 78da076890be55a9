/**
 * From examples to training data for `cross_entropy`: the service adds up -log p times the weight of each target, so that what a token counts
 * is all in its weight: `docs/protocols/tinker.md#losses`.
 */

import type { Config } from "../../config/fields/schema.ts";
import { type Example, trainedTokens } from "../../examples/example.ts";
import type { Datum } from "../../tinker/wire/datum.ts";
import { buildDatum, type TrainingDatum } from "../update/datums.ts";
import { lossFactors } from "../update/lossNormalization.ts";

export const SUPERVISED_LOSS = "cross_entropy";

/** One for each stream with a trained token; `group` is the position of the example. */
export function exampleDatums(examples: readonly Example[]): readonly TrainingDatum[] {
  return examples.flatMap(({ streams }, group) =>
    streams.flatMap(
      (ledger, stream) => buildDatum({ group, rollout: 0, stream, ledger }, [1]) ?? [],
    ),
  );
}

/** What is sent, with weights by `loss_normalization`. */
export function weightedData(
  examples: readonly Example[],
  data: readonly TrainingDatum[],
  config: Pick<Config, "loss_normalization" | "max_response_tokens">,
): readonly Datum[] {
  const counted = examples.map((example, group) => {
    return { group, rollout: 0, tokens: trainedTokens(example) };
  });
  const factors = lossFactors(data, counted, config);
  return data.map(({ tokens, targets, mask }, i) => {
    const weights = Float32Array.from(mask, (trained) => trained * (factors[i] ?? 1));
    return { tokens, lossInputs: { target_tokens: targets, weights } };
  });
}

export interface MeanLoss {
  /** Mean of -log p over the trained tokens, in nats; null without any. */
  readonly loss: number | null;
  /** Trained tokens. */
  readonly tokens: number;
}

/** `logprobs` has one entry a target for each datum. */
export function meanLoss(
  data: readonly Pick<TrainingDatum, "mask">[],
  logprobs: readonly ArrayLike<number>[],
): MeanLoss {
  let sum = 0;
  let tokens = 0;
  for (const [i, { mask }] of data.entries()) {
    const own = logprobs[i];
    for (let t = 0; t < mask.length; t += 1) {
      if (mask[t] !== 1) continue;
      sum -= own?.[t] ?? 0;
      tokens += 1;
    }
  }
  return { loss: tokens === 0 ? null : sum / tokens, tokens };
}
