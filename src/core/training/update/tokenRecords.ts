/** The stored form of a datum's tokens: unshifted, so that every value stands beside the token it is about. */

import { isImageId } from "../../images/imageIds.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import type { TokenRecord } from "../../runFolder/rollouts/tokenRecord.ts";
import type { DatumSource, TrainingDatum } from "./datums.ts";

/** Those of a batch, each made when it is asked for. */
export function* toTokenRecords(
  data: readonly TrainingDatum[],
  trainerLogprobs: readonly Float32Array[],
): Generator<TokenRecord> {
  for (const [i, datum] of data.entries()) yield toTokenRecord(datum, trainerLogprobs[i] ?? null);
}

/** The tokens of a rollout that is not trained on: without advantages and the trainer's log-probabilities. */
export function evaluatedTokens({ record, streams }: FinishedRollout): readonly TokenRecord[] {
  const { group, rollout } = record;
  const advantages = new Float32Array(0);
  return streams.flatMap((ledger, stream) =>
    ledger.tokens.length === 0
      ? []
      : [toTokenRecord({ group, rollout, stream, ledger, advantages }, null)],
  );
}

/** `trainerLogprobs` has one entry per target; null = unknown. Tokens after the last trained one are kept, with mask 0. */
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
    // What the server scored there is the target 0, which stands for no token.
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
