/** The evidence for an alarm: its metric, the steps it looks back over, and the rollouts that caused it. */

import type { AlarmId } from "../config/fields/schema.ts";
import { areEqualRewards } from "../runFolder/metrics/outcomes.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

type Group = readonly RolloutRecord[];
type Turn = RolloutRecord["turns"][number];

export interface AlarmEvidence {
  /** Flat metric name. */
  readonly metric: string;
  /** Number of steps, including the one at which the alarm began. */
  readonly steps: number;
  /** Which rollouts of a group triggered the alarm; null if all did, or none. */
  readonly madeBy: ((group: Group) => readonly boolean[]) | null;
}

/** Steps to show around the alarm, so that the change is visible next to normal values. */
const AROUND_STEPS = 5;
const LENGTH_STEPS = 13;
/** The held-out loss is measured every 10 steps by default. */
const OVERFIT_STEPS = 41;

const EVIDENCE: Readonly<Record<AlarmId, AlarmEvidence>> = {
  parse_success: each(
    "rollout/parse_ok_frac",
    ({ agent, turns }) => agent === undefined && turns.some(isUnreadable),
  ),
  tool_errors: ofTurns("rollout/failed_tool_calls/mean", ({ results }) =>
    results.some(({ isError }) => isError),
  ),
  truncated_turns: ofTurns("rollout/turn_truncated_frac", isCutOff),
  equal_rewards: { metric: "group/frac_mixed", steps: AROUND_STEPS, madeBy: haveEqualRewards },
  identical_rollouts: {
    metric: "rollout/duplicate_frac",
    steps: AROUND_STEPS,
    madeBy: repeatEachOther,
  },
  nonfinite_rewards: each(
    "rollout/nonfinite_rewards",
    ({ rewards, rewardBreakdown }) => rewards.length > 0 && rewardBreakdown.clamped === null,
  ),
  logprob_gap: ofStep("optim/kl_sample_train_v2"),
  logprob_gap_critical: ofStep("optim/kl_sample_train_v2"),
  stale_sampler: ofStep("async/staleness/max"),
  response_length: { ...ofStep("rollout/response_tokens/mean"), steps: LENGTH_STEPS },
  missing_rewards: each("rollout/reward/count", ({ reward }) => reward === null),
  agent_failures: each("rollout/agent/failed_frac", ({ agent }) => agent?.failure !== undefined),
  kl_flat_reward: { ...ofStep("optim/kl_sample_train_v2"), steps: LENGTH_STEPS },
  kl_base_flat_reward: { ...ofStep("optim/kl_policy_base"), steps: LENGTH_STEPS },
  entropy_collapse: { ...ofStep("rollout/entropy"), steps: LENGTH_STEPS },
  reward_decline: { ...ofStep("rollout/reward/mean"), steps: LENGTH_STEPS },
  low_success_reward: { ...ofStep("rollout/success_frac"), steps: LENGTH_STEPS },
  advantage_collapse: {
    metric: "advantage/abs_mean",
    steps: LENGTH_STEPS,
    madeBy: haveEqualRewards,
  },
  overfitting: { ...ofStep("held_out/loss"), steps: OVERFIT_STEPS },
  loss_rise: { ...ofStep("loss"), steps: LENGTH_STEPS },
  event_loop_lag: ofStep("client/event_loop_lag_ms"),
  cost_budget: ofStep("budget/cost_frac"),
  token_budget: ofStep("budget/tokens_frac"),
  time_budget: ofStep("budget/hours_frac"),
};

export function alarmEvidence(id: AlarmId): AlarmEvidence {
  return EVIDENCE[id];
}

function ofStep(metric: string): AlarmEvidence {
  return { metric, steps: AROUND_STEPS, madeBy: null };
}

function each(metric: string, isCause: (record: RolloutRecord) => boolean): AlarmEvidence {
  return { metric, steps: AROUND_STEPS, madeBy: (group) => group.map(isCause) };
}

function ofTurns(metric: string, isCause: (turn: Turn) => boolean): AlarmEvidence {
  return each(metric, ({ turns }) => turns.some(isCause));
}

function isCutOff({ isTruncated }: Turn): boolean {
  return isTruncated;
}

/** An answer that was taken for a call has a result but no call. */
function isUnreadable(turn: Turn): boolean {
  const hasNoCall = turn.calls.length === 0 && turn.results.length === 0;
  return !isCutOff(turn) && (turn.errors.length > 0 || hasNoCall);
}

function haveEqualRewards(group: Group): readonly boolean[] {
  const rewards = group.flatMap(({ reward }) => reward ?? []);
  const areEqual = rewards.length > 1 && areEqualRewards(rewards);
  return group.map(({ reward }) => areEqual && reward !== null);
}

function repeatEachOther(group: Group): readonly boolean[] {
  const texts = group.map(({ turns }) => JSON.stringify(turns.map((turn) => turn.sampledText)));
  return texts.map((text, i) => texts.some((other, j) => j !== i && other === text));
}
