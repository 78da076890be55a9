/** How much alarms must have seen, and when nothing is left to learn. */

import type { AlarmFacts } from "./alarmFacts.ts";

/** A share of fewer turns, calls, rollouts or groups says too little. */
export const MIN_SAMPLES = 16;
/** From this share of successes on, a change without a better reward is no loss. */
const LEARNT_SHARE = 0.95;
/** Where the successes of this share of the groups differ in their rewards, there is more to learn than success. */
const MIXED_SHARE = 0.5;

/** True when nearly all rollouts of a step succeed. */
export function nearlyAllSucceed({ successShare }: AlarmFacts): boolean {
  return (successShare ?? 0) >= LEARNT_SHARE;
}

/** True when nothing is left to learn from a step: nearly all rollouts succeed, and few groups hold different rewards of successes. */
export function isLearnt(facts: AlarmFacts): boolean {
  return nearlyAllSucceed(facts) && mixedSuccessShare(facts) < MIXED_SHARE;
}

/** Share of the groups whose rewards differ, less the most that could differ by a failure: one failure makes one group. */
export function mixedSuccessShare(facts: AlarmFacts): number {
  const { equalShare, successShare, rollouts, groups } = facts;
  const failures = (rollouts / Math.max(1, groups)) * (1 - (successShare ?? 1));
  return Math.max(0, 1 - (equalShare ?? 1) - failures);
}
