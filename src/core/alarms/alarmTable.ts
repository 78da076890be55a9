/** All alarms: what each measures, when it fires, what it says and which settings it suggests. Thresholds: `config/fields/alarmFields.ts`. */

import { formatMeasure, formatPercent } from "../../shared/format.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import type { Alarm, AlarmAdvice, AlarmSeverity } from "./alarm.ts";
import {
  allowFailures,
  halfAtOnce,
  inEnvironments,
  longerTurns,
  moreRollouts,
  noHotter,
  setting,
  slower,
  variedSampling,
} from "./alarmEdits.ts";
import { BASELINE_STEPS } from "./alarmHistory.ts";
import {
  gapOverBaseline,
  leastEqualShare,
  leastLag,
  lengthChange,
  missingShare,
  readableShare,
  unexpectedCopies,
  usualGap,
} from "./measures.ts";
import { MIN_SAMPLES } from "./samples.ts";
import { TREND_ALARMS } from "./trendAlarms.ts";

/** From this share of readable turns on, a model knows how to call its tools. */
const READABLE = 0.7;

const BROKEN_CALLS: Partial<AlarmAdvice> = {
  meaning:
    "A few steps before it was most of them, so training has broken it. Go back to an earlier checkpoint, with a lower learning rate.",
  edits: slower,
};

const LEARNED: Partial<AlarmAdvice> = {
  severity: "info",
  meaning:
    "Nearly all of them succeeded: these tasks are learned, and steps without differences teach nothing more. Take harder tasks, or let the run end.",
  edits: () => [],
};

const MISSING_BY_ERRORS: Partial<AlarmAdvice> = {
  meaning:
    "Most of them failed for a technical reason, which the rollouts show. Their groups are left out of training, unless `max_failing_rollouts` allows for it.",
  edits: allowFailures,
};

/** A group is compared by its successes, so where most of it fails no allowance helps. */
const MOST_FAILED: Partial<AlarmAdvice> = {
  meaning:
    "They failed for a technical reason, which the rollouts show. Remove that cause: too few rollouts per group succeed to learn from.",
  edits: () => [],
};

const MOST_INVALID: Partial<AlarmAdvice> = {
  meaning:
    "Such rollouts count as failed, and too few are left in a group to learn from. The fault is in how the environment computes its rewards. Correct it there before the run continues.",
  edits: () => [],
};

const MISSING_BY_TIME: Partial<AlarmAdvice> = {
  meaning:
    "Most of them ran out of time. Their groups are left out of training; give them more, or ask for fewer turns.",
  edits: ({ rollout_timeout }) => setting("rollout_timeout", 2 * rollout_timeout),
};

export const ALARMS: Readonly<Record<AlarmId, Alarm>> = {
  parse_success: {
    title: "Few tool calls can be read",
    severity: "critical",
    fires: "below",
    measure: readableShare,
    seen: ({ value, threshold }) =>
      `${value === 0 ? "None" : `Only ${formatPercent(value)}`} of the turns held a tool call that could be read (alarm below ${formatPercent(threshold)}).`,
    meaning:
      "Such rollouts earn nothing, whatever the model knows. Look at the turns: either the chat format does not fit the model, or the model was never taught to call tools like these.",
    edits: (config) =>
      config.chat_format === "auto" ? noHotter(config) : setting("chat_format", "auto"),
    byCause: ({ past }) =>
      past.steps.some((facts) => (readableShare(facts) ?? 0) > READABLE) ? BROKEN_CALLS : null,
  },
  tool_errors: {
    title: "Most tool calls are refused",
    severity: "warning",
    fires: "above",
    measure: ({ toolCalls, toolErrorShare }) => (toolCalls < MIN_SAMPLES ? null : toolErrorShare),
    seen: ({ value, threshold }) =>
      `${formatPercent(value)} of the tool calls were refused by the environment (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "The model names tools that do not exist, or gives arguments that do not fit. The results of the calls say what the environment expects.",
    edits: noHotter,
  },
  truncated_turns: {
    title: "Many turns are cut off",
    severity: "warning",
    fires: "above",
    measure: ({ turns, truncatedShare }) => (turns < MIN_SAMPLES ? null : truncatedShare),
    seen: ({ value, threshold }) =>
      `${formatPercent(value)} of the turns were cut off by a token limit (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "A turn that is cut off seldom holds a whole tool call, so its work is lost. Allow more tokens, or less thinking.",
    edits: longerTurns,
  },
  equal_rewards: {
    title: "Equal rewards in every group",
    severity: "warning",
    fires: "above",
    measure: leastEqualShare,
    seen: ({ value, threshold }) =>
      `For 5 steps, in ${value === 1 ? "every group" : `at least ${formatPercent(value)} of the groups`}, all rollouts had the same reward (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "Nearly all of them failed alike, so there is nothing to learn from. Take easier tasks, reward steps on the way, or let each task be tried more often.",
    edits: (config) => variedSampling(config, moreRollouts(config)),
    byCause: ({ now: { allGoodShare, equalShare } }) =>
      (allGoodShare ?? 0) * 2 < (equalShare ?? 0) ? null : LEARNED,
  },
  identical_rollouts: {
    title: "Rollouts repeat each other",
    severity: "critical",
    fires: "above",
    measure: unexpectedCopies,
    seen: ({ now }) =>
      `${formatPercent(now.identicalShare ?? 0)} of the rollouts are copies of another one of their group; by chance it would be ${formatPercent(now.expectedIdenticalShare ?? 0)}.`,
    meaning:
      "Sampling does not draw from the model as it is: a temperature, a nucleus or a seed keeps it from that. Copies earn the same, so there is nothing to compare.",
    edits: (config) =>
      variedSampling(config, config.sampling_seed ? setting("sampling_seed", false) : []),
  },
  nonfinite_rewards: {
    title: "Rewards that are no numbers",
    severity: "critical",
    fires: "above",
    measure: ({ nonfiniteRewards }) => nonfiniteRewards,
    seen: ({ value }) =>
      `The reward of ${value === 1 ? "a rollout" : `${value} rollouts`} cannot be trained on: it is not a finite number, or larger than 1e30 in size.`,
    meaning:
      "Such rollouts count as failed, and their groups are left out unless `max_failing_rollouts` allows for it. The fault is in how the environment computes its rewards.",
    edits: allowFailures,
    byCause: ({ now: { rollouts }, value }) => (value > rollouts / 2 ? MOST_INVALID : null),
  },
  logprob_gap: {
    ...gapAlarm("Sampler and trainer drift apart", "warning"),
    suppressedBy: "logprob_gap_critical",
  },
  logprob_gap_critical: gapAlarm("Sampler and trainer disagree", "critical"),
  stale_sampler: {
    title: "The sampler has old weights",
    severity: "critical",
    fires: "above",
    measure: ({ samplerAge }) => samplerAge,
    seen: ({ value }) =>
      `The rollouts came from a sampler that lacks ${value === 1 ? "the last update" : `the last ${value} updates`}.`,
    meaning:
      "The service handed out an older sampler, so that the run trains on what earlier weights said. Stop and save the run, then resume it: that makes a new one.",
    edits: () => [],
  },
  response_length: {
    title: "Responses change their length",
    severity: "warning",
    fires: "above",
    measure: (_now, past) => lengthChange(past)?.factor ?? null,
    seen: ({ past, threshold }) => {
      const { earlier, later } = lengthChange(past) ?? { earlier: 0, later: 0 };
      return `Within 10 steps responses went from ${Math.round(earlier)} to ${Math.round(later)} tokens (alarm at ${threshold} times ${later > earlier ? "longer" : "shorter"}), and the reward did not rise.`;
    },
    meaning:
      "The model says more, or less as one does that gives up, without doing better. Read a few rollouts; a lower learning rate slows such a drift.",
    edits: slower,
  },
  missing_rewards: {
    title: "Rollouts without a reward",
    severity: "warning",
    fires: "above",
    measure: missingShare,
    seen: ({ value, threshold }) =>
      `${formatPercent(value)} of the rollouts ended without a reward (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "Most of them ended before the environment gave any. Their groups are left out of training; `nonterminal_reward` says what such an end is worth.",
    edits: (config) => inEnvironments(config, "nonterminal_reward", (reward) => reward ?? 0),
    byCause: ({ now: { rollouts, scored, failed, timedOut } }) => {
      if (failed > rollouts / 2) return MOST_FAILED;
      const half = (rollouts - scored) / 2;
      return failed >= half ? MISSING_BY_ERRORS : timedOut >= half ? MISSING_BY_TIME : null;
    },
  },
  event_loop_lag: {
    title: "The training program lags",
    severity: "warning",
    fires: "above",
    measure: leastLag,
    seen: ({ value, threshold }) =>
      `The training program came to its work ${Math.round(value)} ms late (alarm above ${threshold} ms).`,
    meaning:
      "This computer is overloaded, so that sampling waits for the program and not for the model. Run fewer rollouts at once, or fewer other programs.",
    edits: halfAtOnce,
  },
  ...TREND_ALARMS,
  cost_budget: budgetAlarm("Most of the money is spent", "max_cost_usd", "costShare"),
  token_budget: budgetAlarm("Most of the tokens are used", "max_tokens_total", "tokenShare"),
  time_budget: budgetAlarm("Most of the time is over", "max_hours", "timeShare"),
};

function budgetAlarm(
  title: string,
  key: "max_cost_usd" | "max_tokens_total" | "max_hours",
  share: "costShare" | "tokenShare" | "timeShare",
): Alarm {
  return {
    title,
    severity: "info",
    fires: "above",
    measure: (now) => now[share],
    seen: ({ value, threshold }) =>
      `The run has used ${formatPercent(value)} of \`${key}\` (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "When all of it is used, the run saves and ends after the current step. A higher budget lets it continue, now or with a resume.",
    edits: ({ [key]: budget }) => (budget === null ? [] : setting(key, 2 * budget)),
  };
}

function gapAlarm(title: string, severity: AlarmSeverity): Alarm {
  return {
    title,
    severity,
    fires: "above",
    measure: gapOverBaseline,
    seen: ({ now, past: { firstGaps }, threshold }) => {
      const usual = usualGap(firstGaps);
      const known =
        firstGaps.length < BASELINE_STEPS ? "" : `, ${formatMeasure(usual)} is usual here`;
      return `Log-probabilities of sampler and trainer differ by ${formatMeasure(now.logprobGap)} (alarm above ${formatMeasure(usual + threshold)}${known}).`;
    },
    meaning:
      "The update assumes that both are the same model. Far apart, it pushes the weights in a wrong direction: make smaller updates, and keep a checkpoint from before.",
    edits: (config) => {
      if (config.num_passes > 1) return setting("num_passes", 1);
      return config.num_substeps > 1 ? setting("num_substeps", 1) : slower(config);
    },
  };
}
