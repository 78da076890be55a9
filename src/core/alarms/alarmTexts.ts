/** What an alarm says: what was seen, what that means, and where to look. */

import { formatMeasure } from "../../shared/format.ts";
import type { AlarmId, Config } from "../config/schema.ts";
import { type AlarmEdit, alarmEdits, areGood, couldOnce, whyMissing } from "./alarmEdits.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import type { AlarmState } from "./evaluateAlarms.ts";
import { type AlarmPast, BASELINE_STEPS, comparedLengths, usualGap } from "./rules.ts";

/** `info` = worth knowing, and nothing is ill; `critical` = going on is most likely a waste. */
export type AlarmSeverity = "info" | "warning" | "critical";

export interface AlarmNotice {
  readonly id: AlarmId;
  readonly severity: AlarmSeverity;
  /** A sentence with the number that was seen and the bound it has passed. */
  readonly seen: string;
  /** What it means and what to do about it, as sentences. */
  readonly meaning: string;
  readonly edits: readonly AlarmEdit[];
}

/** What is said when an alarm begins; `past` ends with the step that it begins with. */
export function alarmNotice(
  verdict: AlarmState,
  past: AlarmPast,
  config: Config,
): AlarmNotice | null {
  const { id, value, threshold } = verdict;
  const facts = past.steps.at(-1);
  if (value === null || threshold === null || facts === undefined) return null;
  const text = TEXTS[id]({ value, threshold, facts, past });
  return { id, ...text, edits: alarmEdits(id, past, config) };
}

/** Names for lists and headings. */
export const ALARM_TITLES: Readonly<Record<AlarmId, string>> = {
  parse_success: "Few tool calls can be read",
  tool_errors: "Most tool calls are refused",
  truncated_turns: "Many turns are cut off",
  equal_rewards: "Equal rewards in every group",
  identical_rollouts: "Rollouts repeat each other",
  nonfinite_rewards: "Rewards that are no numbers",
  logprob_gap: "Sampler and trainer drift apart",
  logprob_gap_critical: "Sampler and trainer disagree",
  stale_sampler: "The sampler has old weights",
  response_length: "Responses change their length",
  missing_rewards: "Rollouts without a reward",
  event_loop_lag: "The training program lags",
};

interface Seen {
  readonly value: number;
  readonly threshold: number;
  readonly facts: AlarmFacts;
  readonly past: AlarmPast;
}

type Text = (seen: Seen) => Pick<AlarmNotice, "severity" | "seen" | "meaning">;

const TEXTS: Readonly<Record<AlarmId, Text>> = {
  parse_success: ({ value, threshold, past }) => ({
    severity: "critical",
    seen: `${value === 0 ? "None" : `Only ${percent(value)}`} of the turns held a tool call that could be read (alarm below ${percent(threshold)}).`,
    meaning: couldOnce(past)
      ? "A few steps before it was most of them, so training has broken it. Go back to an earlier checkpoint, with a lower learning rate."
      : "Such rollouts earn nothing, whatever the model knows. Look at the turns: either the chat format does not fit the model, or the model was never taught to call tools like these.",
  }),
  tool_errors: ({ value, threshold }) => ({
    severity: "warning",
    seen: `${percent(value)} of the tool calls were refused by the environment (alarm above ${percent(threshold)}).`,
    meaning:
      "The model names tools that do not exist, or gives arguments that do not fit. The results of the calls say what the environment expects.",
  }),
  truncated_turns: ({ value, threshold }) => ({
    severity: "warning",
    seen: `${percent(value)} of the turns were cut off by a token limit (alarm above ${percent(threshold)}).`,
    meaning:
      "A turn that is cut off seldom holds a whole tool call, so its work is lost. Allow more tokens, or less thinking.",
  }),
  equal_rewards: ({ value, threshold, facts }) =>
    areGood(facts)
      ? {
          severity: "info",
          seen: equalSeen(value, threshold),
          meaning:
            "Nearly all of them succeeded: these tasks are learnt, and steps without differences teach nothing more. Take harder tasks, or let the run end.",
        }
      : {
          severity: "warning",
          seen: equalSeen(value, threshold),
          meaning:
            "Nearly all of them failed alike, so there is nothing to learn from. Take easier tasks, reward steps on the way, or let each task be tried more often.",
        },
  identical_rollouts: ({ facts }) => ({
    severity: "critical",
    seen: `${percent(facts.identicalShare ?? 0)} of the rollouts are copies of another one of their group; by chance it would be ${percent(facts.expectedIdenticalShare ?? 0)}.`,
    meaning:
      "Sampling does not draw from the model as it is: a temperature, a nucleus or a seed keeps it from that. Copies earn the same, so there is nothing to compare.",
  }),
  nonfinite_rewards: ({ value }) => ({
    severity: "critical",
    seen: `The reward of ${value === 1 ? "a rollout" : `${value} rollouts`} was no finite number.`,
    meaning:
      "Such rollouts count as failed, and their groups are left out unless `max_failing_rollouts` allows for it. The fault is in how the environment computes its rewards.",
  }),
  logprob_gap: (seen) => ({ severity: "warning", ...gapText(seen) }),
  logprob_gap_critical: (seen) => ({ severity: "critical", ...gapText(seen) }),
  stale_sampler: ({ value }) => ({
    severity: "critical",
    seen: `The rollouts came from a sampler that lacks ${value === 1 ? "the last update" : `the last ${value} updates`}.`,
    meaning:
      "The service handed out an older sampler, so that the run trains on what earlier weights said. Stop and save the run, then resume it: that makes a new one.",
  }),
  response_length: ({ past, threshold }) => {
    const [earlier, later] = comparedLengths(past) ?? [0, 0];
    const change = later > earlier ? "longer" : "shorter";
    return {
      severity: "warning",
      seen: `Within 10 steps responses went from ${Math.round(earlier)} to ${Math.round(later)} tokens (alarm at ${threshold} times ${change}), and the reward did not rise.`,
      meaning:
        later > earlier
          ? "The model talks more without doing better. Read a few rollouts; a lower learning rate slows such a drift."
          : "The model says less without doing better, as one does that gives up. Read a few rollouts; a lower learning rate slows such a drift.",
    };
  },
  missing_rewards: ({ value, threshold, facts }) => ({
    severity: "warning",
    seen: `${percent(value)} of the rollouts ended without a reward (alarm above ${percent(threshold)}).`,
    meaning: MISSING[whyMissing(facts)],
  }),
  event_loop_lag: ({ value, threshold }) => ({
    severity: "warning",
    seen: `The training program came to its work ${Math.round(value)} ms late (alarm above ${threshold} ms).`,
    meaning:
      "This machine has too much to do, so that sampling waits for the program and not for the model. Run fewer rollouts at once, or less beside the training.",
  }),
};

const MISSING: Readonly<Record<ReturnType<typeof whyMissing>, string>> = {
  errors:
    "Most of them failed for a technical reason, which the rollouts tell. Their groups are left out of training, unless `max_failing_rollouts` allows for it.",
  timeouts:
    "Most of them ran out of time. Their groups are left out of training; give them more, or ask for fewer turns.",
  unscored:
    "Most of them ended before the environment gave any. Their groups are left out of training; `nonterminal_reward` says what such an end is worth.",
};

function equalSeen(value: number, threshold: number): string {
  const groups = value === 1 ? "in every group" : `in at least ${percent(value)} of the groups`;
  return `For 5 steps, ${groups}, all rollouts had the same reward (alarm above ${percent(threshold)}).`;
}

function gapText({ facts, past: { firstGaps }, threshold }: Seen) {
  const usual = usualGap(firstGaps);
  const known = firstGaps.length < BASELINE_STEPS ? "" : `, ${formatMeasure(usual)} is usual here`;
  return {
    seen: `Log-probabilities of sampler and trainer differ by ${formatMeasure(facts.logprobGap)} (alarm above ${formatMeasure(usual + threshold)}${known}).`,
    meaning:
      "The update assumes that both are the same model. Far apart, it pushes the weights in a wrong direction: make smaller updates, and keep a checkpoint from before.",
  };
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
