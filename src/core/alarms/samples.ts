/** How much alarms must have seen, and when nothing is left to learn. */

/** A share of fewer turns, calls, rollouts or groups says too little. */
export const MIN_SAMPLES = 16;
/** From this share of successes on, a change without a better reward is no loss. */
export const LEARNT_SHARE = 0.95;
