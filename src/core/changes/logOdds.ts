/**
 * How surely a phrase became more frequent: the z-score of the log-odds ratio with an informative Dirichlet prior. Equations 15, 20 and
 * 22 of B. Monroe, M. Colaresi and K. Quinn, "Fightin' Words" (Political Analysis 16, 2008).
 */

export interface PhraseCounts {
  readonly before: number;
  readonly after: number;
}

/** The prior weighs as much as this share of all that was counted: phrases that are rare in both are pulled towards 0. */
const PRIOR_SHARE = 0.1;

/** Above 0 for a phrase that is more frequent after. `totals` are the sums over all phrases. */
export function logOddsScore(counts: PhraseCounts, totals: PhraseCounts): number {
  const all = totals.before + totals.after;
  const priorTotal = PRIOR_SHARE * all;
  const prior = PRIOR_SHARE * (counts.before + counts.after);
  const logOdds = (count: number, total: number): number =>
    Math.log((count + prior) / (total + priorTotal - count - prior));
  const difference = logOdds(counts.after, totals.after) - logOdds(counts.before, totals.before);
  const variance = 1 / (counts.after + prior) + 1 / (counts.before + prior);
  return difference / Math.sqrt(variance);
}
