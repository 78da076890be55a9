/** A run's best reward, as a mean over several steps: the maximum of single steps is mostly luck and grows with the run's length. */

/** Number of steps averaged for the best reward. */
const BEST_STEPS = 5;

/** Running state for finding the best reward, updated step by step. */
export interface BestReward {
  /** At most the last five rewards. */
  readonly recent: readonly number[];
  /** The highest mean over five consecutive steps (or over all steps of a shorter run); `step` is the last of them, from 1. */
  readonly best: { readonly value: number; readonly step: number } | null;
}

export const NO_BEST: BestReward = { recent: [], best: null };

/** Adds the next reward that may count toward the best. `step` counts from 0. */
export function withReward(before: BestReward, reward: number, step: number): BestReward {
  const recent = [...before.recent, reward].slice(-BEST_STEPS);
  const value = recent.reduce((sum, each) => sum + each, 0) / recent.length;
  const isShort = before.recent.length < BEST_STEPS;
  const isBest = isShort || before.best === null || value > before.best.value;
  return { recent, best: isBest ? { value, step: step + 1 } : before.best };
}
