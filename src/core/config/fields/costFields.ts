/** Configuration fields for prices and for conditions that end a run early. */

import { COUNT, type FieldTable, OPTIONAL } from "./field.ts";

const price = {
  type: "number",
  min: 0,
  change: "tunable",
  unit: "USD per million tokens",
} as const;

export const priceFields = {
  sampled: { ...price, doc: "Price of tokens that the model writes." },
  prefill_cached: { ...price, doc: "Price of prompt tokens that the service has in its cache." },
  prefill_uncached: { ...price, doc: "Price of other prompt tokens." },
  trained: { ...price, doc: "Price of training tokens." },
} as const satisfies FieldTable;

export const targetFields = {
  reward: {
    type: "number",
    change: "tunable",
    doc: "The mean reward to reach (`rollout/reward/mean`).",
  },
  steps: {
    ...COUNT,
    default: 5,
    change: "tunable",
    unit: "steps",
    doc: "Number of last steps whose mean reward counts. Each step has the same weight.",
  },
} as const satisfies FieldTable;

export const costFields = {
  prices: {
    type: "object",
    fields: priceFields,
    ...OPTIONAL,
    change: "tunable",
    doc: "Token prices to use instead of the vendor's price list. All four prices are required. `null` uses the price list; a `local/…` model costs nothing.",
  },
  fetch_prices: {
    type: "boolean",
    default: true,
    change: "tunable",
    isAdvanced: true,
    doc: "Whether to fetch the vendor's public price list at the start of a run, at most once, if the model is hosted and `prices` is not set. Without prices the run only counts tokens.",
  },
  max_cost_usd: {
    type: "number",
    above: 0,
    ...OPTIONAL,
    change: "tunable",
    unit: "USD",
    examples: [20],
    isCommon: true,
    doc: "Save and end the run after the step at which its tokens reach this cost. Every token counts when it is used (`usage.jsonl`), including those of rollouts that are sampled ahead, of evaluations, and of repeated steps. No further update is submitted, so the run exceeds its budget by at most one step. With `max_steps_off_policy`, rollouts are sampled ahead only as far as the budget lasts at the mean cost per step so far. Needs prices: from the price list, or `prices`. An alarm fires at 80%. A resume with a higher budget continues the run as if that had been set from the start. With `method: collect`, the run can end after any rollout, without an alarm before. `null` sets no limit.",
  },
  max_tokens_total: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    unit: "tokens",
    doc: "Save and end the run after the step at which it has used this many tokens of all kinds: sampled, sent as prompts, passed forward, and trained. Otherwise like `max_cost_usd`.",
  },
  max_hours: {
    type: "number",
    above: 0,
    ...OPTIONAL,
    change: "tunable",
    unit: "hours",
    doc: "Save and end the run after the step at which it has taken this long over all its attempts, including repeated steps and without pauses. Otherwise like `max_cost_usd`, except that rollouts sampled ahead take no extra time.",
  },
  stop_at_step: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    unit: "steps",
    doc: "Save and stop the run after this many steps, to look at it. Its plan stays as it is: a learning-rate schedule still counts to `max_steps`, and a resume continues the run beyond this step as if it had never stopped.",
  },
  target_reward: {
    type: "object",
    fields: targetFields,
    ...OPTIONAL,
    change: "tunable",
    doc: "End the run as done when the mean reward has reached a target over a number of consecutive steps, each with at least 90% of its rollouts scored. `null` sets no target.",
  },
  end_without_progress: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    unit: "steps",
    examples: [20],
    doc: "End the run as done when it has made no progress for this many steps: no higher mean reward over five steps in a row, or with `method: sft` no lower `held_out/loss`. `null` disables this.",
  },
} as const satisfies FieldTable;
