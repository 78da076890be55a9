/** What alarms measure over many steps: whether a number moved while the reward did not. Null = too little to judge by. */

import { mean, percentile } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { type AlarmPast, MEASURED_STEPS } from "./alarmHistory.ts";
import { LEVEL_STEPS, type RewardLevel, rewardLevel } from "./rewardLevel.ts";
import { LEARNT_SHARE } from "./samples.ts";

/** A KL divergence below this is usual in healthy runs, however much it rose. */
const LEAST_KL = 0.01;
/** In nats: a model that is so sure already has no variety left to lose. */
const LEAST_ENTROPY = 0.1;
/** Standard errors by which levels of the reward must differ to count: many levels are compared with the best of them. */
const SURE = 3;

/** How many times larger the KL divergence became within 10 steps; 1 where it is small, or the reward rose with it. */
export function klRise(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const change = changeOf(steps, ({ klPolicyBase, logprobGap }) => klPolicyBase ?? logprobGap);
  if (change === null) return null;
  const { earlier, later, isFine } = change;
  return isFine || later < LEAST_KL ? 1 : later / Math.max(earlier, LEAST_KL / 10);
}

/** The entropy as a share of what it was 10 steps before; 1 where it was small already, or the reward rose meanwhile. */
export function entropyShare(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const change = changeOf(steps, ({ entropy }) => entropy);
  if (change === null) return null;
  const { earlier, later, isFine } = change;
  return isFine || earlier < LEAST_ENTROPY ? 1 : later / earlier;
}

/** The share of the rise to the best level of the reward that is lost again, 1 where the reward fell below its first level; 0 while it may be chance. */
export function lostShare(
  _now: AlarmFacts,
  { firstLevel, bestLevel, steps }: AlarmPast,
): number | null {
  const now = rewardLevel(steps);
  if (now === null || firstLevel === null || bestLevel === null) return null;
  // A peak within the first level leaves no rise to be seen.
  if (isAbove(firstLevel, now)) return 1;
  if (!isAbove(bestLevel, firstLevel) || !isAbove(bestLevel, now)) return 0;
  return (bestLevel.reward - now.reward) / (bestLevel.reward - firstLevel.reward);
}

/** Mean size of the advantages of all rollouts in the last steps, as a share of what it was in the first; 1 once the tasks are learnt. */
export function advantageShare(
  _now: AlarmFacts,
  { firstAdvantages, steps }: AlarmPast,
): number | null {
  const last = steps.slice(-LEVEL_STEPS);
  const sizes = last.flatMap(({ advantageSize }) => advantageSize ?? []);
  const usual = percentile(firstAdvantages, 0.5) ?? 0;
  if (sizes.length < LEVEL_STEPS || rewardLevel(steps) === null || usual === 0) return null;
  if (last.every(({ successShare }) => (successShare ?? 0) >= LEARNT_SHARE)) return 1;
  return (mean(sizes) ?? 0) / usual;
}

interface Change {
  readonly earlier: number;
  readonly later: number;
  /** True when the reward rose meanwhile, or nearly all rollouts succeed. */
  readonly isFine: boolean;
}

/** Means of a number over the first and the last steps of a window. */
function changeOf(
  steps: readonly AlarmFacts[],
  value: (facts: AlarmFacts) => number | null,
): Change | null {
  const window = steps.slice(-MEASURED_STEPS);
  if (window.length < MEASURED_STEPS) return null;
  const [first, last] = [window.slice(0, LEVEL_STEPS), window.slice(-LEVEL_STEPS)];
  const [before, now] = [rewardLevel(first), rewardLevel(last)];
  const [earlier, later] = [first, last].map((own) => own.flatMap((facts) => value(facts) ?? []));
  if (before === null || now === null) return null;
  if ((earlier?.length ?? 0) < LEVEL_STEPS || (later?.length ?? 0) < LEVEL_STEPS) return null;
  const hasRisen = now.reward - before.reward > Math.sqrt(before.variance + now.variance);
  const isLearnt = last.every(({ successShare }) => (successShare ?? 0) >= LEARNT_SHARE);
  return {
    earlier: mean(earlier ?? []) ?? 0,
    later: mean(later ?? []) ?? 0,
    isFine: hasRisen || isLearnt,
  };
}

function isAbove(high: RewardLevel, low: RewardLevel): boolean {
  return high.reward - low.reward > SURE * Math.sqrt(high.variance + low.variance);
}
