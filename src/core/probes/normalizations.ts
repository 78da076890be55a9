/** The ways in which servers make one number of the losses of tokens; Tinker's own is the sum. */

export type LossNormalization =
  | "sum"
  | "token-mean"
  | "position-mean"
  | "datum-mean"
  | "sum-of-token-means"
  | "mean-of-token-means"
  | "sum-of-position-means"
  | "mean-of-position-means";

/** In words for people, after "the loss is the ". */
export const NORMALIZATION_WORDS: Readonly<Record<LossNormalization, string>> = {
  sum: "sum over tokens",
  "token-mean": "mean over trained tokens",
  "position-mean": "mean over all tokens",
  "datum-mean": "sum over tokens, divided by the number of datums",
  "sum-of-token-means": "sum of the datums' means over trained tokens",
  "mean-of-token-means": "mean of the datums' means over trained tokens",
  "sum-of-position-means": "sum of the datums' means over all tokens",
  "mean-of-position-means": "mean of the datums' means over all tokens",
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
    sum: total,
    "token-mean": total / sum(trained),
    "position-mean": total / sum(losses.map(({ length }) => length)),
    "datum-mean": total / losses.length,
    "sum-of-token-means": sum(tokenMeans),
    "mean-of-token-means": sum(tokenMeans) / losses.length,
    "sum-of-position-means": sum(positionMeans),
    "mean-of-position-means": sum(positionMeans) / losses.length,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
