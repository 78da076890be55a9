/** The chance that at least one of k attempts at a task succeeds, from more attempts than k. */

import { AppError } from "../errors.ts";

/**
 * 1 - C(n - c, k) / C(n, k) for n `attempts` with c `successes`: the unbiased estimate of Chen et al. 2021, "Evaluating Large
 * Language Models Trained on Code", computed as a product that avoids large numbers.
 * @throws AppError `pass-at-k`, which is a bug, unless 0 <= c <= n and 1 <= k <= n
 */
export function passAtK(attempts: number, successes: number, k: number): number {
  if (k < 1 || k > attempts || successes < 0 || successes > attempts) {
    throw new AppError("pass-at-k", `There is no pass@${k} of ${successes} in ${attempts}.`);
  }
  let allFail = 1;
  for (let n = attempts - successes + 1; n <= attempts; n += 1) allFail *= Math.max(0, 1 - k / n);
  return 1 - allFail;
}

/** The values of k to report: the powers of two below `attempts`, and `attempts` itself. */
export function reportedKs(attempts: number): readonly number[] {
  const ks: number[] = [];
  for (let k = 1; k < attempts; k *= 2) ks.push(k);
  return attempts < 1 ? [] : [...ks, attempts];
}
