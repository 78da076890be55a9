/** Fields of the configuration about prices, and about what ends a run before its plan does. */

import type { FieldTable } from "./field.ts";

const price = {
  type: "number",
  min: 0,
  change: "tunable",
  unit: "USD per million tokens",
} as const;

export const priceFields = {
  sampled: { ...price, doc: "Of tokens that the model writes." },
  prefill_cached: { ...price, doc: "Of tokens of prompts that the service has in its cache." },
  prefill_uncached: { ...price, doc: "Of other tokens of prompts." },
  trained: { ...price, doc: "Of tokens of training data." },
} as const satisfies FieldTable;

export const targetFields = {
  reward: {
    type: "number",
    change: "tunable",
    doc: "The mean reward to reach (`rollout/reward/mean`).",
  },
  steps: {
    type: "integer",
    min: 1,
    default: 5,
    change: "tunable",
    unit: "steps",
    doc: "Number of the last steps whose mean reward counts, each weighing the same.",
  },
} as const satisfies FieldTable;

export const costFields = {
  prices: {
    type: "object",
    fields: priceFields,
    nullable: true,
    default: null,
    change: "tunable",
    doc: "What the model's tokens cost, in place of the vendor's price list. All four prices are needed. `null` takes the price list, and for a `local/…` model nothing.",
  },
  fetch_prices: {
    type: "boolean",
    default: true,
    change: "tunable",
    isAdvanced: true,
    doc: "Whether the vendor's public price list is fetched at the start of a run, at most once, when the model is hosted and `prices` is not set. Without prices the run counts tokens only.",
  },
  max_cost_usd: {
    type: "number",
    above: 0,
    nullable: true,
    default: null,
    change: "tunable",
    unit: "USD",
    examples: [20],
    doc: "End the run, saved, after the step with which its tokens have cost this much. Every token counts when it is used (`usage.jsonl`): those of rollouts that are sampled ahead, of evaluations and of repeated steps, too. No further update is submitted then, so the run exceeds its budget by at most one step. With `max_steps_off_policy` rollouts are sampled ahead as long as the budget lasts at the mean cost of a step, from the first update on. Needs prices: those of the price list, or `prices`. An alarm comes at 80 %. A resume with a higher budget continues as if there had been none; `null` sets none.",
  },
  max_tokens_total: {
    type: "integer",
    min: 1,
    nullable: true,
    default: null,
    change: "tunable",
    unit: "tokens",
    doc: "End the run, saved, after the step with which it has used this many tokens of all kinds: sampled, sent as prompts, passed forward and trained. Otherwise as `max_cost_usd`.",
  },
  max_hours: {
    type: "number",
    above: 0,
    nullable: true,
    default: null,
    change: "tunable",
    unit: "hours",
    doc: "End the run, saved, after the step with which it has taken this long, in all its attempts together, repeated steps included, and without pauses. Otherwise as `max_cost_usd`, but for rollouts that are sampled ahead, which take no time of their own.",
  },
  target_reward: {
    type: "object",
    fields: targetFields,
    nullable: true,
    default: null,
    change: "tunable",
    doc: "End the run as done when the mean reward has reached a target over a number of steps in a row, in each of which at least 90 % of the rollouts were scored. `null` sets none.",
  },
} as const satisfies FieldTable;
