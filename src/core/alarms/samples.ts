/** How much data alarms require, and when nothing is left to learn. */

import type { AlarmFacts } from "./alarmFacts.ts";

/** Shares of fewer turns, calls, rollouts or groups are not reliable. */
export const MIN_SAMPLES = 16;
/** From this share of successes, a change without a better reward is no loss. */
const LEARNED_SHARE = 0.95;
/** If successes differ in reward in this share of the groups, there is more to learn than success. */
const MIXED_SHARE = 0.5;

/** True if nearly all rollouts of a step succeed. */
export function nearlyAllSucceed({ successShare }: AlarmFacts): boolean {
  return (successShare ?? 0) >= LEARNED_SHARE;
}

/** True if nothing is left to learn from a step: nearly all rollouts succeed, and in few groups do successes differ in reward. */
export function isLearned(facts: AlarmFacts): boolean {
  return nearlyAllSucceed(facts) && mixedSuccessShare(facts) < MIXED_SHARE;
}

/** Share of the groups whose rewards differ, minus those that could differ because of a failure (at most one group per failure). */
export function mixedSuccessShare(facts: AlarmFacts): number {
  const { equalShare, successShare, rollouts, groups } = facts;
  const failures = (rollouts / Math.max(1, groups)) * (1 - (successShare ?? 1));
  return Math.max(0, 1 - (equalShare ?? 1) - failures);
}
