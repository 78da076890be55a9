/** Alarms for runs that go wrong over many steps. */

import { formatCount, formatMeasure, formatPercent, formatReward } from "../../shared/format.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import { mean, percentile } from "../util/stats.ts";
import type { Alarm } from "./alarm.ts";
import { moreRollouts, slower, variedSampling } from "./alarmEdits.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { type AlarmPast, BASELINE_STEPS, MEASURED_STEPS } from "./alarmHistory.ts";
import { type RewardFall, rewardFall, stepReward } from "./rewardFall.ts";
import { LEVEL_STEPS, rewardChange, rewardLevel } from "./rewardLevel.ts";
import { isLearned, mixedSuccessShare, nearlyAllSucceed } from "./samples.ts";

type TrendAlarmId = Extract<
  AlarmId,
  | "kl_flat_reward"
  | "kl_base_flat_reward"
  | "entropy_collapse"
  | "reward_decline"
  | "advantage_collapse"
  | "low_success_reward"
>;

const WEIGHTS_MOVE =
  "The weights change, but the rollouts do not get better. A lower learning rate slows this; going back to an earlier checkpoint undoes it.";

export const TREND_ALARMS: Readonly<Record<TrendAlarmId, Alarm>> = {
  kl_flat_reward: {
    title: "KL divergence rises, the reward does not",
    severity: "warning",
    fires: "above",
    measure: klRise,
    seen: ({ now, value, threshold }) =>
      `Within 10 steps the KL divergence between sampler and trainer became ${value.toFixed(1)} times larger, now ${formatMeasure(now.logprobGap)}, and the reward did not rise (alarm above ${threshold} times).`,
    meaning: WEIGHTS_MOVE,
    edits: slower,
  },
  kl_base_flat_reward: {
    title: "KL divergence to the base model rises, the reward does not",
    severity: "warning",
    fires: "above",
    measure: klFromBase,
    seen: ({ value, threshold }) =>
      `Within 10 steps the KL divergence to the base model rose to ${formatMeasure(value)} nats per token, and the reward did not rise (alarm above ${threshold}).`,
    meaning: WEIGHTS_MOVE,
    edits: slower,
  },
  entropy_collapse: {
    title: "Entropy collapses",
    severity: "warning",
    fires: "below",
    measure: entropyShare,
    seen: ({ now, value, threshold }) =>
      `Within 10 steps the entropy fell to ${formatPercent(value)} of what it was, now ${formatMeasure(now.entropy)}, and the reward did not rise (alarm below ${formatPercent(threshold)}).`,
    meaning:
      "The model writes nearly the same in every rollout, so a group has little to compare. A lower learning rate keeps more variety.",
    edits: (config, past) => variedSampling(config, slower(config, past)),
  },
  reward_decline: {
    title: "The reward falls from its best",
    severity: "warning",
    fires: "above",
    measure: lostShare,
    seen: ({ now, past, value, threshold }) => {
      const fall = fallUntil(now, past);
      const levels =
        fall === null
          ? "The mean reward fell"
          : `Falling since step ${formatCount(fall.from.lastStep + 1)}: was ${formatReward(fall.from.reward)}, now ${formatReward(fall.to.reward)}`;
      return `${levels}. That is ${formatPercent(value)} of its range (alarm above ${formatPercent(threshold)}).`;
    },
    meaning:
      "The weights were better before. Go back to the checkpoint at the peak, with a lower learning rate.",
    edits: slower,
    goodUntil: ({ now, past }) => fallUntil(now, past)?.from.lastStep ?? null,
  },
  advantage_collapse: {
    title: "Advantages collapse",
    severity: "warning",
    fires: "below",
    measure: advantageShare,
    suppressedBy: "equal_rewards",
    seen: ({ value, threshold }) =>
      `The advantages of the last 3 steps are ${formatPercent(value)} of their size in the first steps (alarm below ${formatPercent(threshold)}).`,
    meaning:
      "The rewards within a group hardly differ, so a step teaches almost nothing. Use tasks that are neither too easy nor too hard, or raise `num_rollouts`.",
    edits: moreRollouts,
  },
  low_success_reward: {
    title: "Nearly everything counts as a success",
    severity: "info",
    fires: "above",
    measure: mixedSuccesses,
    seen: ({ now, value }) =>
      `For 3 steps at least ${formatPercent(now.successShare ?? 1)} of the rollouts count as successes, although the rewards differ in ${formatPercent(value)} of the groups.`,
    meaning:
      "`success_reward` is too low for these rewards, so `success_frac` and pass@k say little. Raise it; training itself does not use it.",
    edits: () => [],
  },
};

/** A KL divergence below this is normal in healthy runs, however much it rose. */
const LEAST_KL = 0.01;
/** In nats: below this, the model has no variety left to lose. */
const LEAST_ENTROPY = 0.1;

/** KL divergence to the base model, in nats per token; 0 if it did not rise within 10 steps, or if the reward rose too. */
function klFromBase(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const change = changeOf(steps, ({ klPolicyBase }) => klPolicyBase);
  if (change === null) return null;
  const { earlier, later, isFine } = change;
  return isFine || later <= earlier ? 0 : later;
}

/**
 * How many times larger the KL divergence between sampler and trainer became within 10 steps; 1 if it is small, or if the reward
 * rose too. Null while samplers still get older, because a fresh sampler's divergence is 0.
 */
function klRise(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const change = changeOf(steps, ({ logprobGap }) => logprobGap);
  const lags = steps.slice(-MEASURED_STEPS).map(({ allowedLag }) => allowedLag);
  const isOlder = Math.max(...lags.slice(-LEVEL_STEPS)) > Math.min(...lags.slice(0, LEVEL_STEPS));
  if (change === null || isOlder) return null;
  const { earlier, later, isFine } = change;
  return isFine || later < LEAST_KL ? 1 : later / Math.max(earlier, LEAST_KL / 10);
}

/** The entropy as a share of its value 10 steps before; 1 if it was already small, or if the reward rose too. */
function entropyShare(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const change = changeOf(steps, ({ entropy }) => entropy);
  if (change === null) return null;
  const { earlier, later, isFine } = change;
  return isFine || earlier < LEAST_ENTROPY ? 1 : later / earlier;
}

/** The reward's fall from its best up to this step; null if none is significant. */
function fallUntil({ step }: AlarmFacts, { rewards }: AlarmPast): RewardFall | null {
  return rewardFall(rewards.filter((each) => each.step <= step));
}

/** The lost share of the reward's range; 0 while it may be chance. Null if the step has too few rollouts. */
function lostShare(now: AlarmFacts, past: AlarmPast): number | null {
  return stepReward(now) === null ? null : (fallUntil(now, past)?.lostShare ?? 0);
}

/** The smallest recent share of groups with different rewards while nearly all rollouts succeed; 0 if they do not. */
function mixedSuccesses(_now: AlarmFacts, { steps }: AlarmPast): number | null {
  const last = steps.slice(-LEVEL_STEPS);
  if (last.length < LEVEL_STEPS || rewardLevel(steps) === null) return null;
  return last.every(nearlyAllSucceed) ? Math.min(...last.map(mixedSuccessShare)) : 0;
}

/** Mean advantage size of the last steps relative to the first ones; 1 once the tasks are learned. */
function advantageShare(_now: AlarmFacts, { firstAdvantages, steps }: AlarmPast): number | null {
  const last = steps.slice(-LEVEL_STEPS);
  const sizes = last.flatMap(({ advantageSize }) => advantageSize ?? []);
  const usual = percentile(firstAdvantages, 0.5) ?? 0;
  if (firstAdvantages.length < BASELINE_STEPS || usual === 0) return null;
  if (sizes.length < LEVEL_STEPS || rewardLevel(steps) === null) return null;
  if (last.every(isLearned)) return 1;
  return (mean(sizes) ?? 0) / usual;
}

interface Change {
  readonly earlier: number;
  readonly later: number;
  /** True if the reward rose meanwhile, or nothing is left to learn. */
  readonly isFine: boolean;
}

/** Means of a value over the first and the last steps of a window. */
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
    isFine: reward.hasRisen || reward.isLearned,
  };
}
