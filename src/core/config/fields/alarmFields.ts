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
    doc: "Share of the turns that held a well-formed tool call or answer, below which the alarm fires. Turns that were cut off do not count; needs 16 others.",
  },
  tool_errors: {
    ...share,
    default: 0.5,
    doc: "Share of the tool calls that the environment refused: unknown tools, arguments that do not fit. Needs 16 calls.",
  },
  truncated_turns: {
    ...share,
    default: 0.3,
    doc: "Share of the turns that were cut off by a token limit. Needs 16 turns.",
  },
  equal_rewards: {
    ...share,
    default: 0.9,
    doc: "Share of the groups whose rollouts all had the same reward, in each of 5 steps in a row. Needs 16 groups in them; silent where `zero_variance` keeps such groups.",
  },
  identical_rollouts: {
    ...share,
    default: 0.5,
    doc: "Share of the rollouts that repeat another one of their group word for word, less the share that the model's own probabilities let expect. Needs 16 rollouts that could.",
  },
  nonfinite_rewards: {
    ...count,
    default: 0,
    unit: "rollouts",
    doc: "Number of rollouts in a step whose reward was not a finite number, or larger than 1e30 in size.",
  },
  logprob_gap: {
    ...size,
    default: 0.05,
    doc: "How far the sampler's and the trainer's log-probabilities drift apart (`optim/kl_sample_train_v2`), over the median of the first 5 steps with samplers as old as `max_steps_off_policy` lets them get. That counts as 0.1 at most, and as 0.1 until it is known. Needs 100 tokens that the trainer has read, also where `off_policy_correction` leaves them out.",
  },
  logprob_gap_critical: {
    ...size,
    default: 0.2,
    doc: "The same gap, where the update can no longer be trusted.",
  },
  stale_sampler: {
    ...count,
    default: 0,
    unit: "updates",
    doc: "How many updates of the weights the sampler may lack, beyond those that `max_steps_off_policy` allowed when its groups were issued: later changes of that key or of `num_substeps` raise no alarm.",
  },
  response_length: {
    type: "number",
    min: 1,
    nullable: true,
    default: 2,
    change: "tunable",
    doc: "Factor by which responses became longer or shorter within 10 steps while the reward did not rise. Silent where they became shorter once the tasks are learned. Compares means of 3 steps; needs 16 rollouts in each.",
  },
  missing_rewards: {
    ...share,
    default: 0.1,
    doc: "Share of the rollouts that ended without a reward. Needs 16 rollouts, 4 of them without.",
  },
  kl_flat_reward: {
    type: "number",
    min: 1,
    nullable: true,
    default: 4,
    change: "tunable",
    doc: "Factor by which the KL divergence between sampler and trainer (`optim/kl_sample_train_v2`) rose within 10 steps while the reward did not. Silent below 0.01, once the tasks are learned, and while samplers get older: the gap of a new one is 0. Compares means of 3 steps; needs 16 rollouts in each.",
  },
  kl_base_flat_reward: {
    type: "number",
    above: 0,
    nullable: true,
    default: 0.2,
    unit: "nats per token",
    change: "tunable",
    doc: "KL divergence to the base model (`optim/kl_policy_base`, where `kl_coef` measures it) to which it rose within 10 steps while the reward did not. It is 0 where training begins, so how many times larger it became says nothing. Silent once the tasks are learned. Compares means of 3 steps; needs 16 rollouts in each.",
  },
  entropy_collapse: {
    ...share,
    default: 0.25,
    doc: "Share of the entropy of 10 steps before (`rollout/entropy`, over all rollouts) below which the alarm fires, while the reward did not rise. Silent where the entropy was below 0.1 nats, and once the tasks are learned. Compares means of 3 steps; needs 16 rollouts in each.",
  },
  reward_decline: {
    ...share,
    default: 0.5,
    doc: "Share of the range between the lowest and the best level of the mean reward that it has lost. Levels are means of 2 to 16 steps in a row, of which the last 2 to 16 must lie below the best by more than chance explains: by the spread between groups, or between neighboring steps where a step has one or two, about 4 standard errors after 8 steps and 5 after 100. Steps with fewer than 16 scored rollouts, or less than 90 % of them scored, do not count.",
  },
  advantage_collapse: {
    ...share,
    default: 0.1,
    doc: "Share of the size of the advantages of the first 5 steps, from the first that had any on, below which those of the last 3 steps lie. Groups with equal rewards count as 0; rollouts that were left out for another reason do not count. Silent once the tasks are learned, and while `equal_rewards` fires; needs 16 rollouts in each step.",
  },
  low_success_reward: {
    ...share,
    default: 0.5,
    doc: "Share of the groups whose rewards differ by more than failures explain, in each of 3 steps in a row in which 95 % of the rollouts count as successes. Needs 16 rollouts in each.",
  },
  event_loop_lag: {
    ...size,
    default: 100,
    unit: "milliseconds",
    doc: "How late the training program itself comes to its work, 99th percentile of a step (`client/event_loop_lag_ms`). Needs two steps in a row of at least 10 seconds.",
  },
  cost_budget: { ...budget, doc: "Share of `max_cost_usd` that the run has spent." },
  token_budget: { ...budget, doc: "Share of `max_tokens_total` that the run has used." },
  time_budget: { ...budget, doc: "Share of `max_hours` that the run has taken." },
} as const satisfies FieldTable;
