/** Configuration fields for supervised fine-tuning: what to imitate and what to hold out. */

import { COUNT, type FieldTable, OPTIONAL } from "./field.ts";

/** Where demonstrations come from. */
export const dataSourceFields = {
  path: {
    type: "string",
    ...OPTIONAL,
    change: "identity",
    examples: ["demonstrations.jsonl"],
    doc: "A JSONL file of conversations in OpenAI's chat format: each line has `messages`, and `tools` if the model could call any. An optional `split` of a line is `train`, `held_out` or `test`; lines with `test` are skipped. A relative path is resolved from the configuration file.",
  },
  run: {
    type: "string",
    ...OPTIONAL,
    change: "identity",
    examples: [".tinker-rl/runs/first"],
    doc: "The folder of a run, an evaluation or a play whose rollouts are imitated, token for token. Their model must have the same tokenizer. Rollouts of a split named `test`, or one that this configuration evaluates, are refused.",
  },
  where: {
    type: "string",
    ...OPTIONAL,
    change: "identity",
    examples: ["reward >= 1", "reward > 0 and turns <= 4"],
    doc: "Which rollouts of `run` to take: comparisons of `reward`, `turns`, `tokens`, `tool_calls` or `step` with a number, joined by `and`. Steps count from 1; in an evaluation, `step` is the number of completed steps. `null` takes all that have a reward.",
  },
  starred: {
    type: "boolean",
    default: false,
    change: "identity",
    doc: "Whether to take only the rollouts of `run` that have a star.",
  },
  tags: {
    type: "list",
    of: { type: "string" },
    default: [],
    change: "identity",
    doc: "Takes only the rollouts of `run` that have one of these tags. An empty list takes all.",
  },
  max_per_task: {
    ...COUNT,
    ...OPTIONAL,
    change: "identity",
    examples: [4],
    doc: "Maximum number of rollouts of `run` per task: those with the highest reward, and of equal rewards the first. `null` sets no limit.",
  },
} as const satisfies FieldTable;

export const supervisedFields = {
  method: {
    type: "enum",
    values: ["rl", "sft", "collect"],
    default: "rl",
    change: "identity",
    isCommon: true,
    doc: "How the model learns: `rl` from the rewards of its own rollouts, `sft` by imitating the model's turns in `data`. With `sft`, `batch_size` counts examples, and `environments` are needed only to evaluate. `collect` trains nothing: it plays each training task `samples_per_task` times, as data for a later stage.",
  },
  data: {
    type: "list",
    of: { type: "object", fields: dataSourceFields },
    default: [],
    examples: [[{ path: "demonstrations.jsonl" }]],
    change: "identity",
    isCommon: true,
    doc: "With `method: sft`: the demonstrations, from one or more sources.",
  },
  train_on: {
    type: "enum",
    values: ["all_turns", "last_turn"],
    default: "all_turns",
    change: "identity",
    doc: "With `method: sft`: which turns of the model are trained. The others are context.",
  },
  train_thinking: {
    type: "boolean",
    default: true,
    change: "identity",
    doc: "With `method: sft`: whether to train on the reasoning in conversations of a file. `false` removes it. Has no effect on rollouts, which are trained as sampled.",
  },
  samples_per_task: {
    ...COUNT,
    max: 10_000,
    default: 4,
    change: "identity",
    doc: "With `method: collect`: number of rollouts per task.",
  },
  max_tasks: {
    ...COUNT,
    ...OPTIONAL,
    change: "identity",
    examples: [500],
    doc: "With `method: collect`: maximum number of tasks per split, chosen by `seed`. `null` takes all.",
  },
  held_out: {
    type: "number",
    min: 0,
    below: 1,
    default: 0.05,
    change: "identity",
    doc: "With `method: sft`: share of the examples that is never trained, to measure `held_out/loss`. All rollouts of a task are on the same side, even in a file from `export` or `collect`. If a file marks lines as `held_out`, exactly those are held out.",
  },
  held_out_every: {
    ...COUNT,
    default: 10,
    change: "tunable",
    unit: "steps",
    doc: "With `method: sft`: number of steps between measurements of `held_out/loss`, which is also measured after the last step.",
  },
} as const satisfies FieldTable;
