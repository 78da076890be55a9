/** Fields of the alarms object in the configuration: the threshold of each alarm. */

import type { FieldTable } from "./field.ts";

const share = { type: "number", min: 0, max: 1, nullable: true, change: "tunable" } as const;
const size = { type: "number", min: 0, nullable: true, change: "tunable" } as const;
const count = { type: "integer", min: 0, nullable: true, change: "tunable" } as const;

const budget = {
  ...share,
  default: 0.8,
} as const;

export const alarmFields = {
  parse_success: {
    ...share,
    default: 0.5,
    doc: "Fires when the share of turns with a well-formed tool call or answer is below this. Turns that were cut off and turns of agents do not count. Needs 16 other turns.",
  },
  tool_errors: {
    ...share,
    default: 0.5,
    doc: "Share of tool calls that failed or were refused: unknown tools, invalid arguments, crashes and timeouts. Needs 16 calls.",
  },
  truncated_turns: {
    ...share,
    default: 0.3,
    doc: "Share of turns that a token limit cut off. Needs 16 turns.",
  },
  equal_rewards: {
    ...share,
    default: 0.9,
    doc: "Share of groups whose rollouts all had the same reward, in each of 5 consecutive steps. Needs 16 groups in these steps. Off when `zero_variance` keeps such groups.",
  },
  identical_rollouts: {
    ...share,
    default: 0.5,
    doc: "Share of the rollouts, without the first of each group, that repeat an earlier one of their group token for token (`rollout/duplicate_frac`), minus the share expected from the model's own probabilities. Needs 16 such rollouts.",
  },
  nonfinite_rewards: {
    ...count,
    default: 0,
    unit: "rollouts",
    doc: "Number of rollouts in a step whose reward is not a finite number, or exceeds 1e30 in absolute value.",
  },
  logprob_gap: {
    ...size,
    default: 0.05,
    doc: "Gap between the sampler's and the trainer's log-probabilities (`optim/kl_sample_train_v2`) above the usual gap, which is the median of the first 5 steps with samplers as old as `max_steps_off_policy` allows. The usual gap counts as at most 0.1, and as 0.1 until it is known. Needs 100 tokens that the trainer has read, including those that `off_policy_correction` excludes.",
  },
  logprob_gap_critical: {
    ...size,
    default: 0.2,
    doc: "The same gap, at which updates are no longer reliable.",
  },
  stale_sampler: {
    ...count,
    default: 0,
    unit: "updates",
    doc: "Number of weight updates that the sampler may lag behind, beyond those that `max_steps_off_policy` allowed when its groups were issued. Later changes to that key or to `num_substeps` raise no alarm.",
  },
  response_length: {
    type: "number",
    min: 1,
    nullable: true,
    default: 2,
    change: "tunable",
    doc: "Factor by which responses became longer or shorter within 10 steps while the reward did not rise. Off when they became shorter after the tasks are learned. Compares means of 3 steps. Needs 16 rollouts in each step.",
  },
  missing_rewards: {
    ...share,
    default: 0.1,
    doc: "Share of rollouts that ended without a reward. Needs 16 rollouts, 4 of them without one.",
  },
  agent_failures: {
    ...share,
    default: 0.1,
    doc: "Share of agents that failed or ran out of time, whatever the reward of their rollouts. Needs 16 rollouts with an agent, 4 of them failed.",
  },
  kl_flat_reward: {
    type: "number",
    min: 1,
    nullable: true,
    default: 4,
    change: "tunable",
    doc: "Factor by which the KL divergence between sampler and trainer (`optim/kl_sample_train_v2`) rose within 10 steps while the reward did not rise. Off below 0.01, after the tasks are learned, and while samplers get older, because the gap of a new sampler is 0. Compares means of 3 steps. Needs 16 rollouts in each step.",
  },
  kl_base_flat_reward: {
    type: "number",
    above: 0,
    nullable: true,
    default: 0.2,
    unit: "nats per token",
    change: "tunable",
    doc: "KL divergence from the base model (`optim/kl_policy_base`, measured with `kl_coef`) reached by a rise within 10 steps while the reward did not rise. It is an absolute value, not a factor, because it starts at 0. Off after the tasks are learned. Compares means of 3 steps. Needs 16 rollouts in each step.",
  },
  entropy_collapse: {
    ...share,
    default: 0.25,
    doc: "Fires when the entropy (`rollout/entropy`, over all rollouts) is below this share of its value 10 steps before, while the reward did not rise. Off when the entropy was below 0.1 nats, and after the tasks are learned. Compares means of 3 steps. Needs 16 rollouts in each step.",
  },
  reward_decline: {
    ...share,
    default: 0.5,
    doc: "Share of its range, from the lowest to the best level, that the mean reward has lost. A level is the mean of 2 to 16 consecutive steps. The last level must be below the best by more than chance explains: about 4 standard errors after 8 steps and 5 after 100, measured by the spread between groups, or between neighboring steps if a step has one or two groups. Steps with fewer than 16 scored rollouts, or with less than 90% of them scored, do not count.",
  },
  advantage_collapse: {
    ...share,
    default: 0.1,
    doc: "Fires when the size of the advantages in the last 3 steps is below this share of their size in the first 5 steps, counted from the first step that had any. Groups with equal rewards count as 0; rollouts that were skipped for another reason do not count. Off after the tasks are learned, and while `equal_rewards` fires. Needs 16 rollouts in each step.",
  },
  low_success_reward: {
    ...share,
    default: 0.5,
    doc: "Share of groups whose rewards differ by more than failures explain, in each of 3 consecutive steps in which 95% of the rollouts count as successes. Needs 16 rollouts in each step.",
  },
  overfitting: {
    ...count,
    default: 2,
    unit: "measurements",
    doc: "With `method: sft`: number of consecutive measurements with a higher `held_out/loss` than the one before, while the mean training loss of the last steps (at most 5) did not rise over them.",
  },
  loss_rise: {
    type: "number",
    min: 1,
    nullable: true,
    default: 1.5,
    change: "tunable",
    doc: "With `method: sft`: mean training loss of the last 5 steps (before step 10, of the last half of the steps), divided by the loss of the first step. Counts as 1 where it rose by less than 0.5 nats. Needs 6 steps.",
  },
  event_loop_lag: {
    ...size,
    default: 100,
    unit: "milliseconds",
    doc: "Event loop lag of the training program, 99th percentile per step (`client/event_loop_lag_ms`). Needs two consecutive steps of at least 10 seconds.",
  },
  cost_budget: { ...budget, doc: "Share of `max_cost_usd` that the run has spent." },
  token_budget: { ...budget, doc: "Share of `max_tokens_total` that the run has used." },
  time_budget: { ...budget, doc: "Share of `max_hours` that the run has used." },
} as const satisfies FieldTable;
