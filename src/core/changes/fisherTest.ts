/**
 * Fisher's exact test of two counts (R. A. Fisher, 1922), and the selection of significant tests at a false discovery rate (Y.
 * Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57, 1995).
 */

/** P-value for `before` hits in the earlier set and `after` hits in the later set. */
export type FisherTest = (before: number, after: number) => number;

/** Two-sided: twice the smaller tail. */
export function createFisherTest(totalBefore: number, totalAfter: number): FisherTest {
  const total = totalBefore + totalAfter;
  const logFactorials = new Float64Array(total + 1);
  for (let n = 2; n <= total; n += 1) {
    logFactorials[n] = (logFactorials[n - 1] ?? 0) + Math.log(n);
  }
  const logChoose = (n: number, k: number): number =>
    (logFactorials[n] ?? 0) - (logFactorials[k] ?? 0) - (logFactorials[n - k] ?? 0);
  return (before, after) => {
    const having = before + after;
    const isMore = after * totalBefore > before * totalAfter;
    const last = isMore ? Math.min(having, totalAfter) : Math.max(0, having - totalBefore);
    let tail = 0;
    for (let at = after; isMore ? at <= last : at >= last; at += isMore ? 1 : -1) {
      tail += Math.exp(
        logChoose(totalAfter, at) + logChoose(totalBefore, having - at) - logChoose(total, having),
      );
    }
    return Math.min(1, 2 * tail);
  };
}

/** The largest significant p-value at false discovery rate `rate`; 0 if no test is significant. */
export function trustedP(ps: readonly number[], tests: number, rate: number): number {
  const sorted = [...ps].sort((a, b) => a - b);
  return sorted.findLast((p, at) => p * tests <= rate * (at + 1)) ?? 0;
}
