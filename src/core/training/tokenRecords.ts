/** The stored form of a datum's tokens: unshifted, so that every value stands beside the token it is about. */

import type { TokenRecord } from "../runFolder/tokenRecord.ts";
import type { TrainingDatum } from "./datums.ts";

/** `trainerLogprobs` has one entry per target; null = unknown. Tokens after the last trained one are kept, with mask 0. */
export function toTokenRecord(
  datum: TrainingDatum,
  trainerLogprobs: Float32Array | null,
): TokenRecord {
  const { ledger, group, rollout, stream, advantage } = datum;
  const n = ledger.tokens.length;
  const trainer = new Float32Array(n).fill(Number.NaN);
  if (trainerLogprobs !== null) trainer.set(trainerLogprobs, 1);
  return {
    group,
    rollout,
    stream,
    ids: ledger.tokens,
    samplerLogprobs: ledger.logprobs,
    trainerLogprobs: trainer,
    advantages: ledger.mask.map((trained) => trained * advantage),
    turns: ledger.turns,
    mask: ledger.mask,
  };
}
