/** The alarms of a run that goes wrong over many steps. */

import { formatCount, formatMeasure, formatPercent, formatReward } from "../../shared/format.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import type { Alarm } from "./alarm.ts";
import { moreRollouts, slower, variedSampling } from "./alarmEdits.ts";

import {
  advantageShare,
  entropyShare,
  fallUntil,
  klFromBase,
  klRise,
  lostShare,
  mixedSuccesses,
} from "./trends.ts";

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
    edits: (config) => variedSampling(config, slower(config)),
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
