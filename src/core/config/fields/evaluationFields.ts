/** Fields of the evaluation object in the configuration. */

import { COUNT, type FieldTable, OPTIONAL } from "./field.ts";

export const evaluationFields = {
  splits: {
    type: "map",
    keyName: "environment",
    of: { type: "list", of: { type: "string" }, minItems: 1 },
    minEntries: 1,
    examples: [{ "local/calculator": ["test"] }],
    change: "tunable",
    doc: "What to evaluate on: a list of splits per environment, such as `local/calculator: [test]`. Training need not use the same environments.",
  },
  at_start: {
    type: "boolean",
    default: true,
    change: "tunable",
    doc: "Whether to evaluate before the first step.",
  },
  at_end: {
    type: "boolean",
    default: true,
    change: "tunable",
    doc: "Whether to evaluate after the last step, even if a budget ends the run. That evaluation is not part of the budget, and is left out if the same weights were just evaluated.",
  },
  every: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    unit: "steps",
    isCommon: true,
    doc: "Number of steps between evaluations. `null` does not evaluate in between.",
  },
  num_samples: {
    ...COUNT,
    nullable: true,
    default: 64,
    change: "tunable",
    doc: "Number of tasks per split. `evaluation.seed` selects them; they are the same each time. `null` uses all.",
  },
  rollouts_per_task: {
    ...COUNT,
    default: 1,
    change: "tunable",
    doc: "Number of rollouts per task and temperature. At temperature 0 it is 1, because all greedy rollouts of a task are equal.",
  },
  seed: {
    type: "integer",
    min: 0,
    default: 0,
    change: "tunable",
    doc: "Selects the tasks and the sampling seeds of all evaluations. It is independent of `seed`, so runs with different seeds are evaluated on the same tasks.",
  },
  failure_reward: {
    type: "number",
    ...OPTIONAL,
    change: "tunable",
    examples: [0],
    doc: "The reward that counts for a failed rollout in the mean. `null` means the smaller of 0 and the lowest reward that the evaluation saw in that environment and split at that temperature, so failing never pays. A failed rollout is never a success.",
  },
  temperatures: {
    type: "list",
    of: { type: "number", min: 0, max: 2 },
    minItems: 1,
    default: [0, 1],
    change: "tunable",
    doc: "Sampling temperatures. Each is evaluated and reported separately. 0 shows the best single answer; 1 is what training samples from.",
  },
} as const satisfies FieldTable;
