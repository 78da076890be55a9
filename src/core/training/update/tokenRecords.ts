/** Stored form of a datum's tokens, unshifted: every value is at the index of its token. */

import { isImageId } from "../../images/imageIds.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import type { TokenRecord } from "../../runFolder/rollouts/tokenRecord.ts";
import type { DatumSource, TrainingDatum } from "./datums.ts";

/** The records of a batch, created lazily. */
export function* toTokenRecords(
  data: readonly TrainingDatum[],
  trainerLogprobs: readonly Float32Array[],
): Generator<TokenRecord> {
  for (const [i, datum] of data.entries()) yield toTokenRecord(datum, trainerLogprobs[i] ?? null);
}

/** Token records of a rollout that is not trained on, without advantages and trainer log-probabilities. */
export function evaluatedTokens({ record, streams }: FinishedRollout): readonly TokenRecord[] {
  const { group, rollout } = record;
  const advantages = new Float32Array(0);
  return streams.flatMap((ledger, stream) =>
    ledger.tokens.length === 0
      ? []
      : [toTokenRecord({ group, rollout, stream, ledger, advantages }, null)],
  );
}

/** `trainerLogprobs` has one entry per target; null if unknown. Tokens after the last trained one are kept, with mask 0. */
export function toTokenRecord(
  datum: DatumSource & Pick<TrainingDatum, "advantages">,
  trainerLogprobs: Float32Array | null,
): TokenRecord {
  const { group, rollout, stream } = datum;
  const { tokens: ids, logprobs: samplerLogprobs, turns, mask } = datum.ledger;
  const n = ids.length;
  const trainer = new Float32Array(n).fill(Number.NaN);
  if (trainerLogprobs !== null) trainer.set(trainerLogprobs, 1);
  ids.forEach((id, token) => {
    // The server scored the placeholder target 0 there, which is not a token.
    if (isImageId(id)) trainer[token] = Number.NaN;
  });
  const advantages = new Float32Array(n);
  advantages.set(datum.advantages, 1);
  return {
    group,
    rollout,
    stream,
    ids,
    samplerLogprobs,
    trainerLogprobs: trainer,
    advantages,
    turns,
    mask,
  };
}
