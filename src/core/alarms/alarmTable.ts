/** All alarms: what each measures, when it fires, its texts and suggested settings. Thresholds: `config/fields/alarmThresholds.ts`. */

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
  FIT_ALARMS,
  failedAgentShare,
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

/** From this share of readable turns, the model evidently knows how to call its tools. */
const READABLE = 0.7;

const BROKEN_CALLS: Partial<AlarmAdvice> = {
  meaning:
    "A few steps earlier most of them had one, so training broke this. Go back to an earlier checkpoint, with a lower learning rate.",
  edits: slower,
};

const CRASHES: Partial<AlarmAdvice> = {
  meaning:
    "In most rollouts the environment's own code failed. A rollout shows its error, and `servers/` of the run folder has the log of a server that the run started. Fix the environment.",
  edits: () => [],
};

const TOOL_TIMEOUTS: Partial<AlarmAdvice> = {
  meaning:
    "Most rollouts ended because calls took longer than `tool_timeout`. Make the environment faster, or raise the limit.",
  edits: ({ tool_timeout: limit }) => (limit === null ? [] : setting("tool_timeout", 2 * limit)),
};

const LEARNED: Partial<AlarmAdvice> = {
  severity: "info",
  meaning:
    "Nearly all of them succeeded: the model has learned these tasks, and equal rewards teach it nothing more. Use harder tasks, or let the run end.",
  edits: () => [],
};

const MISSING_BY_ERRORS: Partial<AlarmAdvice> = {
  meaning:
    "Most of them failed for a technical reason, which the rollouts show. Training skips their groups, unless `max_failing_rollouts` allows it.",
  edits: allowFailures,
};

/** Used when most rollouts of a group fail: allowing failures would leave too few to compare. */
const MOST_FAILED: Partial<AlarmAdvice> = {
  meaning:
    "They failed for a technical reason, which the rollouts show. Fix that cause: too few rollouts per group succeed to learn from.",
  edits: () => [],
};

const MOST_INVALID: Partial<AlarmAdvice> = {
  meaning:
    "Such rollouts count as failed, and too few are left in a group to learn from. The problem is in how the environment computes its rewards. Fix it there before you continue the run.",
  edits: () => [],
};

const MISSING_BY_TIME: Partial<AlarmAdvice> = {
  meaning:
    "Most of them ran out of time, and training skips their groups. Allow more time, or fewer turns.",
  edits: ({ rollout_timeout }) => setting("rollout_timeout", 2 * rollout_timeout),
};

const AGENTS_FAILED: Partial<AlarmAdvice> = {
  meaning:
    "The agents of most of them failed or took too long, and training skips their groups. A rollout shows how its agent ended and what it printed. Fix the agent: `tinker-rl env play --agent` runs it alone.",
  edits: () => [],
};

const MISSING_AT_END: Partial<AlarmAdvice> = {
  meaning:
    "The environment ended most of these episodes without a reward, or with NaN or infinity, which JSON cannot hold. Training skips their groups. Fix the environment.",
  edits: () => [],
};

export const ALARMS: Readonly<Record<AlarmId, Alarm>> = {
  parse_success: {
    title: "Few readable tool calls",
    severity: "critical",
    fires: "below",
    measure: readableShare,
    seen: ({ now: { agents }, value, threshold }) =>
      `${value === 0 ? "None" : `Only ${formatPercent(value)}`} of the turns${agents === 0 ? "" : " without an agent"} had a readable tool call (alarm below ${formatPercent(threshold)}).`,
    meaning:
      "Such rollouts earn nothing. Look at the turns: either the chat format does not fit the model, or the model was not trained to call tools like these.",
    edits: (config) =>
      config.chat_format === "auto" ? noHotter(config) : setting("chat_format", "auto"),
    byCause: ({ past }) =>
      past.steps.some((facts) => (readableShare(facts) ?? 0) > READABLE) ? BROKEN_CALLS : null,
  },
  tool_errors: {
    title: "Most tool calls fail",
    severity: "warning",
    fires: "above",
    measure: ({ toolCalls, toolErrorShare }) => (toolCalls < MIN_SAMPLES ? null : toolErrorShare),
    seen: ({ value, threshold }) =>
      `${formatPercent(value)} of the tool calls failed or were refused (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "The model calls tools that do not exist, or passes invalid arguments. The results of the calls say what the environment expects.",
    edits: noHotter,
    byCause: ({ now: { rollouts, crashed, toolTimedOut } }) => {
      if (crashed >= rollouts / 2) return CRASHES;
      return toolTimedOut >= rollouts / 2 ? TOOL_TIMEOUTS : null;
    },
  },
  truncated_turns: {
    title: "Many turns are cut off",
    severity: "warning",
    fires: "above",
    measure: ({ turns, truncatedShare }) => (turns < MIN_SAMPLES ? null : truncatedShare),
    seen: ({ value, threshold }) =>
      `${formatPercent(value)} of the turns were cut off by a token limit (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "A turn that is cut off seldom has a complete tool call, so its work is lost. Allow more tokens, or less thinking.",
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
      "Nearly all of them failed, so there is nothing to learn from. Use easier tasks, reward partial progress, or raise `num_rollouts`.",
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
      `Without the first of each group, ${formatPercent(now.identicalShare ?? 0)} of the rollouts are copies of another rollout in their group; ${formatPercent(now.expectedIdenticalShare ?? 0)} are expected by chance.`,
    meaning:
      "Sampling does not follow the model's own distribution, for example because of `temperature`, `top_p` or a seed. Copies earn the same reward, so there is nothing to compare.",
    edits: (config) =>
      variedSampling(config, config.sampling_seed ? setting("sampling_seed", false) : []),
  },
  nonfinite_rewards: {
    title: "Invalid rewards",
    severity: "critical",
    fires: "above",
    measure: ({ nonfiniteRewards }) => nonfiniteRewards,
    seen: ({ value }) =>
      `The reward of ${value === 1 ? "a rollout" : `${value} rollouts`} cannot be trained on: it is not a finite number, or exceeds 1e30 in absolute value.`,
    meaning:
      "Such rollouts count as failed, and training skips their groups unless `max_failing_rollouts` allows it. The problem is in how the environment computes its rewards.",
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
      "The service returned an older sampler, so the run trains on rollouts from earlier weights. Stop and save the run, then resume it to get a new sampler.",
    edits: () => [],
  },
  response_length: {
    title: "Response length changes",
    severity: "warning",
    fires: "above",
    measure: (_now, past) => lengthChange(past)?.factor ?? null,
    seen: ({ past, threshold }) => {
      const { earlier, later } = lengthChange(past) ?? { earlier: 0, later: 0 };
      return `Within 10 steps responses went from ${Math.round(earlier)} to ${Math.round(later)} tokens (alarm at ${threshold} times ${later > earlier ? "longer" : "shorter"}), and the reward did not rise.`;
    },
    meaning:
      "The model writes more, or gives up earlier, without doing better. Read a few rollouts. A lower learning rate slows this drift.",
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
      "Most of them ended before the environment gave any, and training skips their groups. Set `nonterminal_reward` to the reward of such an end.",
    edits: (config) => inEnvironments(config, "nonterminal_reward", (reward) => reward ?? 0),
    byCause: ({ now: { rollouts, scored, failed, timedOut, agentFailures, ended } }) => {
      if (failed > rollouts / 2) return MOST_FAILED;
      const half = (rollouts - scored) / 2;
      if (agentFailures >= half) return AGENTS_FAILED;
      if (failed >= half) return MISSING_BY_ERRORS;
      if (timedOut >= half) return MISSING_BY_TIME;
      return rollouts - ended <= half ? MISSING_AT_END : null;
    },
  },
  agent_failures: {
    title: "Agents fail",
    severity: "warning",
    fires: "above",
    measure: failedAgentShare,
    seen: ({ value, threshold }) =>
      `${formatPercent(value)} of the agents failed or ran out of time (alarm above ${formatPercent(threshold)}).`,
    meaning:
      "Where `nonterminal_reward` is set, their rollouts are trained with it, as if the model had failed. A rollout shows how its agent ended and what it printed. Fix the agent: `tinker-rl env play --agent` runs it alone.",
    edits: () => [],
  },
  event_loop_lag: {
    title: "The training program lags",
    severity: "warning",
    fires: "above",
    measure: leastLag,
    seen: ({ value, threshold }) =>
      `The event loop of the training program lagged by ${Math.round(value)} ms (alarm above ${threshold} ms).`,
    meaning:
      "This computer is overloaded, so sampling waits for the program instead of the model. Run fewer concurrent rollouts, or fewer other programs.",
    edits: halfAtOnce,
  },
  ...TREND_ALARMS,
  ...FIT_ALARMS,
  cost_budget: budgetAlarm("Most of the money is spent", "max_cost_usd", "costShare"),
  token_budget: budgetAlarm("Most of the tokens are used", "max_tokens_total", "tokenShare"),
  time_budget: budgetAlarm("Most of the time is used", "max_hours", "timeShare"),
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
      "Updates assume that both are the same model. If they differ too much, updates push the weights in the wrong direction. Make smaller updates, and keep an earlier checkpoint.",
    edits: (config, past) => {
      if (config.num_passes > 1) return setting("num_passes", 1);
      return config.num_substeps > 1 ? setting("num_substeps", 1) : slower(config, past);
    },
  };
}
