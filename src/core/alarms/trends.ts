/** What alarms measure over many steps: whether a number moved while the reward did not. Null = too little to judge by. */

import { mean, percentile } from "../util/stats.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { type AlarmPast, BASELINE_STEPS, MEASURED_STEPS } from "./alarmHistory.ts";
import { type RewardFall, rewardFall, stepReward } from "./rewardFall.ts";
import { LEVEL_STEPS, rewardChange, rewardLevel } from "./rewardLevel.ts";
import { isLearnt, mixedSuccessShare, nearlyAllSucceed } from "./samples.ts";

/** A KL divergence below this is usual in healthy runs, however much it rose. */
const LEAST_KL = 0.01;
/** In nats: a model that is so sure already has no variety left to lose. */
const LEAST_ENTROPY = 0.1;

/** The KL divergence to the base model, in nats per token; 0 where it did not rise within 10 steps, or the reward rose with it. */
export function klFromBase(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const change = changeOf(steps, ({ klPolicyBase }) => klPolicyBase);
  if (change === null) return null;
  const { earlier, later, isFine } = change;
  return isFine || later <= earlier ? 0 : later;
}

/**
 * How many times larger the KL divergence of sampler and trainer became within 10 steps; 1 where it is small, or the reward rose with
 * it. Null while samplers get older, because the divergence of a new one is 0.
 */
export function klRise(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const change = changeOf(steps, ({ logprobGap }) => logprobGap);
  const lags = steps.slice(-MEASURED_STEPS).map(({ allowedLag }) => allowedLag);
  const isOlder = Math.max(...lags.slice(-LEVEL_STEPS)) > Math.min(...lags.slice(0, LEVEL_STEPS));
  if (change === null || isOlder) return null;
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

/** The fall of the reward from its best until the step; null where none is sure. */
export function fallUntil({ step }: AlarmFacts, { rewards }: AlarmPast): RewardFall | null {
  return rewardFall(rewards.filter((each) => each.step <= step));
}

/** The share of the reward's range that is lost from its best; 0 while that may be chance. Null where the step has too few rollouts. */
export function lostShare(now: AlarmFacts, past: AlarmPast): number | null {
  return stepReward(now) === null ? null : (fallUntil(now, past)?.lostShare ?? 0);
}

/** The least share of groups with different rewards in the last steps, although nearly all rollouts succeed; 0 where they do not. */
export function mixedSuccesses(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const last = steps.slice(-LEVEL_STEPS);
  if (last.length < LEVEL_STEPS || rewardLevel(steps) === null) return null;
  return last.every(nearlyAllSucceed) ? Math.min(...last.map(mixedSuccessShare)) : 0;
}

/** Mean size of the advantages in the last steps, as a share of what it was in the first; 1 once the tasks are learned. */
export function advantageShare(
  _now: AlarmFacts,
  { firstAdvantages, steps }: AlarmPast,
): number | null {
  const last = steps.slice(-LEVEL_STEPS);
  const sizes = last.flatMap(({ advantageSize }) => advantageSize ?? []);
  const usual = percentile(firstAdvantages, 0.5) ?? 0;
  if (firstAdvantages.length < BASELINE_STEPS || usual === 0) return null;
  if (sizes.length < LEVEL_STEPS || rewardLevel(steps) === null) return null;
  if (last.every(isLearnt)) return 1;
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
  const reward = rewardChange(first, last);
  const [earlier, later] = [first, last].map((own) => own.flatMap((facts) => value(facts) ?? []));
  if (reward === null) return null;
  if ((earlier?.length ?? 0) < LEVEL_STEPS || (later?.length ?? 0) < LEVEL_STEPS) return null;
  return {
    earlier: mean(earlier ?? []) ?? 0,
    later: mean(later ?? []) ?? 0,
    isFine: reward.hasRisen || reward.isLearnt,
  };
}
