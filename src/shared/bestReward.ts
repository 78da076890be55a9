/** What a run reached at best: not the highest of many single steps, which is mostly luck, and grows with the length of the run. */

/** A mean over fewer of its rollouts decides nothing: what is missing may be what went wrong. */
export const MIN_SCORED_SHARE = 0.9;
/** Steps behind the best reward. */
const BEST_STEPS = 5;

/** What a run reached at best, read step by step. */
export interface BestReward {
  /** Of the last steps, at most five. */
  readonly recent: readonly number[];
  /** The highest mean over five steps in a row, or over all of a shorter run; `step` is the last of them, from 1. */
  readonly best: { readonly value: number; readonly step: number } | null;
}

export const NO_BEST: BestReward = { recent: [], best: null };

/** The mean reward of a step; null without one, and where fewer than 90 % of its rollouts are known to be scored. */
export function decidingMean(mean: number | null, scoredShare: number | null): number | null {
  return scoredShare !== null && scoredShare < MIN_SCORED_SHARE ? null : mean;
}

/** With the next reward that may decide something; null changes nothing. `step` counts from 0. */
export function withReward(before: BestReward, reward: number | null, step: number): BestReward {
  if (reward === null) return before;
  const recent = [...before.recent, reward].slice(-BEST_STEPS);
  const value = recent.reduce((sum, each) => sum + each, 0) / recent.length;
  const isShort = before.recent.length < BEST_STEPS;
  const isBest = isShort || before.best === null || value > before.best.value;
  return { recent, best: isBest ? { value, step: step + 1 } : before.best };
}
