/** The ways in which servers make one number of the losses of tokens; Tinker's own is the sum. */

import { sum } from "../../shared/mean.ts";
import type { Config } from "../config/fields/schema.ts";

/** By the names of the setting `loss_normalization` where that has one; a group's own mean a server cannot know. */
export type LossNormalization =
  | Exclude<Config["loss_normalization"], "group_mean" | "constant">
  | "position_mean"
  | "datum_mean"
  | "sum_of_token_means"
  | "sum_of_position_means"
  | "mean_of_position_means";

/** In words for people, after "the loss is the ". */
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

/** `losses` of every position of every datum; `isTrained` says which positions have an advantage. */
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
