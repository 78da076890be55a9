/** Fields of a teacher: a second model whose probabilities the policy learns from, on its own samples. */

import { type FieldTable, OPTIONAL } from "./field.ts";

export const teacherFields = {
  model: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    examples: ["Qwen/Qwen3-32B"],
    doc: "A base model as the teacher. It must have the same tokenizer as `model_name`.",
  },
  checkpoint: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    examples: [".tinker-rl/runs/trained"],
    doc: "Trained weights as the teacher: a `tinker://` path, or the folder of a run, whose newest checkpoint is taken; `FOLDER@10` takes the one after 10 steps. A relative path is resolved from the configuration file.",
  },
  coef: {
    type: "number",
    above: 0,
    default: 1,
    change: "tunable",
    doc: "Weight of the teacher. With d as the log-probability of a sampled token under the policy minus that under the teacher, `-coef` times d is added to the advantage of the token; the mean of d is `teacher/kl`.",
  },
  discount: {
    type: "number",
    min: 0,
    max: 1,
    default: 0,
    change: "tunable",
    isAdvanced: true,
    doc: "How much the difference to the teacher at later tokens of its stream counts for a token: `discount` to the power of the distance. With 0, only the token's own difference counts.",
  },
  context: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    examples: ["Look up the depot's map before you move anything."],
    doc: "A text that only the teacher reads, such as a hint or a worked example: the policy learns to act as if it had read it. It is appended to the first user message in every chat format, before the policy's tokens. `environments.<name>.teacher` sets another in one environment. Tokens that it pushes out of the context are learned without the teacher.",
  },
  rewards: {
    type: "boolean",
    default: true,
    change: "fixed",
    doc: "Whether the environment's rewards count, too. `false` learns only from the teacher, including from groups with equal rewards and rollouts without a reward.",
  },
} as const satisfies FieldTable;

export const teacherField = {
  type: "object",
  fields: teacherFields,
  ...OPTIONAL,
  change: "fixed",
} as const;
