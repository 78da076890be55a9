/** Ways in which servers reduce token losses to one number. Tinker itself uses the sum. */

import { sum } from "../../shared/mean.ts";
import type { Config } from "../config/fields/schema.ts";

/** Named like values of the setting `loss_normalization`, if possible. A server cannot compute a group's mean. */
export type LossNormalization =
  | Exclude<Config["loss_normalization"], "group_mean" | "constant">
  | "position_mean"
  | "datum_mean"
  | "sum_of_token_means"
  | "sum_of_position_means"
  | "mean_of_position_means";

/** Display text after "the loss is the ". */
export const NORMALIZATION_WORDS: Readonly<Record<LossNormalization, string>> = {
  token_sum: "sum over tokens",
  token_mean: "mean over trained tokens",
  position_mean: "mean over all tokens",
  datum_mean: "sum over tokens, divided by the number of datums",
  sum_of_token_means: "sum of the datums' means over trained tokens",
  sequence_mean: "mean of the datums' means over trained tokens",
  sum_of_position_means: "sum of the datums' means over all tokens",
  mean_of_position_means: "mean of the datums' means over all tokens",
};

/** `losses` of every position of every datum. `isTrained` marks positions with an advantage. */
export function normalized(
  losses: readonly (readonly number[])[],
  isTrained: readonly (readonly boolean[])[],
): Readonly<Record<LossNormalization, number>> {
  const sums = losses.map(sum);
  const trained = isTrained.map((row) => row.filter(Boolean).length);
  const total = sum(sums);
  const tokenMeans = sums.map((own, i) => own / (trained[i] ?? 1));
  const positionMeans = sums.map((own, i) => own / (losses[i]?.length ?? 1));
  return {
    token_sum: total,
    token_mean: total / sum(trained),
    position_mean: total / sum(losses.map(({ length }) => length)),
    datum_mean: total / losses.length,
    sum_of_token_means: sum(tokenMeans),
    sequence_mean: sum(tokenMeans) / losses.length,
    sum_of_position_means: sum(positionMeans),
    mean_of_position_means: sum(positionMeans) / losses.length,
  };
}
