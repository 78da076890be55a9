/** What a run reached at best: not the highest of many single steps, which is mostly luck, and grows with the length of the run. */

/** Steps behind the best reward. */
const BEST_STEPS = 5;

/** What a run reached at best, read step by step. */
export interface BestReward {
  /** Holds at most the last five steps. */
  readonly recent: readonly number[];
  /** The highest mean over five steps in a row, or over all of a shorter run; `step` is the last of them, from 1. */
  readonly best: { readonly value: number; readonly step: number } | null;
}

export const NO_BEST: BestReward = { recent: [], best: null };

/** With the next reward that may decide something. `step` counts from 0. */
export function withReward(before: BestReward, reward: number, step: number): BestReward {
  const recent = [...before.recent, reward].slice(-BEST_STEPS);
  const value = recent.reduce((sum, each) => sum + each, 0) / recent.length;
  const isShort = before.recent.length < BEST_STEPS;
  const isBest = isShort || before.best === null || value > before.best.value;
  return { recent, best: isBest ? { value, step: step + 1 } : before.best };
}
