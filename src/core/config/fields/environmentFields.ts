/** Configuration fields of an environment and of its splits. */

import { agentFields } from "./agentFields.ts";
import { COUNT, type FieldTable, OPTIONAL } from "./field.ts";
import { serverFields } from "./serverFields.ts";
import { teacherField } from "./teacherFields.ts";

export const splitFields = {
  shuffle: {
    type: "boolean",
    default: true,
    change: "identity",
    doc: "Whether every epoch visits the tasks of this split in a new order, which depends on `seed` alone. Has no effect if the run's own `shuffle` is off.",
  },
  num_samples: {
    ...COUNT,
    ...OPTIONAL,
    change: "identity",
    doc: "Number of tasks to use: a random subset if the tasks are shuffled, otherwise the first ones. `null` uses all.",
  },
} as const satisfies FieldTable;

const columnField = (name: string, doc: string) =>
  ({ type: "string", default: name, change: "identity", doc }) as const;

/** Columns of a dataset, by content. */
export const columnFields = {
  question: columnField("question", "Column of the question, which is the prompt."),
  answer: columnField("answer", "Column of the right answer, which the model does not see."),
  system: columnField(
    "system",
    "Column of the system prompt. A file without this column has none.",
  ),
  choices: columnField(
    "choices",
    "Column of the answers to choose from: a list of texts, in CSV as JSON. The prompt lists them by letter. A file without this column has none.",
  ),
  split: columnField(
    "split",
    "Column of the split that a row belongs to. If the file has this column, `split_fractions` is not used.",
  ),
} as const satisfies FieldTable;

/** How answers to a dataset's questions are graded. */
export const graderFields = {
  type: {
    type: "enum",
    values: ["exact", "number", "choice", "regex", "json", "contains"],
    default: "exact",
    change: "identity",
    doc: "`exact` compares texts; `number` compares values (with thousands separators, percent, fractions, LaTeX and units); `choice` takes the letter or the text of one of `choices`; `regex` matches the pattern in the answer column; `json` compares JSON values; `contains` looks for the right answer as whole words.",
  },
  case_sensitive: {
    type: "boolean",
    default: false,
    change: "identity",
    doc: "Whether upper and lower case differ, for `exact`, `choice`, `regex` and `contains`.",
  },
  tolerance: {
    type: "number",
    min: 0,
    default: 1e-6,
    change: "identity",
    doc: "Relative tolerance of numbers, for `number` and `json`.",
  },
  absolute_tolerance: {
    type: "number",
    min: 0,
    default: 0,
    change: "identity",
    doc: "Absolute tolerance of numbers, for `number` and `json`; the larger of both tolerances applies.",
  },
  in_prompt: {
    type: "boolean",
    default: false,
    change: "identity",
    doc: "Whether the prompt ends with a sentence about how to answer and what the grader ignores. Without it, the prompt is the question and its choices.",
  },
} as const satisfies FieldTable;

/** Fields that only a `local/dataset` environment has. */
export const datasetFields = {
  tasks: {
    type: "string",
    ...OPTIONAL,
    examples: ["questions.jsonl"],
    change: "identity",
    doc: "The file with the questions of a `local/dataset` environment, relative to this configuration: `.jsonl`, `.csv` or `.parquet`, up to 200 MB.",
  },
  columns: {
    type: "object",
    fields: columnFields,
    ...OPTIONAL,
    examples: [{ question: "question", answer: "answer" }],
    change: "identity",
    doc: "Names of the columns of `tasks`. `null` uses `question` and `answer`, and `system`, `choices` and `split` if the file has them.",
  },
  grader: {
    type: "object",
    fields: graderFields,
    ...OPTIONAL,
    examples: [{ type: "number" }],
    change: "identity",
    doc: "How answers to the questions of `tasks` are graded. `null` compares them exactly, except for spaces and case.",
  },
  split_fractions: {
    type: "map",
    keyName: "split",
    of: { type: "number", above: 0, max: 1 },
    minEntries: 1,
    ...OPTIONAL,
    examples: [{ train: 0.9, test: 0.1 }],
    change: "identity",
    doc: "The share of the questions of `tasks` in each split, for a file without a split column. Only the question's text decides its split, so equal questions are in the same one. `null` puts 0.9 into `train` and 0.1 into `test`.",
  },
} as const satisfies FieldTable;

export const environmentFields = {
  server: {
    type: "object",
    fields: serverFields,
    ...OPTIONAL,
    change: "fixed",
    doc: "This environment's own server: an address, or a command that the trainer starts. `null` uses the server at `openreward_base_url`, by default OpenReward. Environments with the same `server` share it.",
  },
  agent: {
    type: "object",
    fields: agentFields,
    ...OPTIONAL,
    examples: [{ command: ["python", "agent.py"] }],
    change: "fixed",
    doc: "Your own program that plays this environment and calls the model through an OpenAI- or Anthropic-compatible API: [Agents](agents.md). `null` uses the built-in loop of turns and tools.",
  },
  ...datasetFields,
  splits: {
    type: "map",
    keyName: "split",
    of: { type: "object", fields: splitFields },
    minEntries: 1,
    examples: [{ train: {} }],
    change: "identity",
    doc: "The splits to train on, by name.",
  },
  num_rollouts: {
    type: "integer",
    min: 2,
    examples: [8, 16],
    change: "identity",
    doc: "Group size: the number of rollouts per task in a step. Advantages compare these rollouts, so more of them give a less noisy signal; use 8 or more.",
  },
  teacher: {
    ...teacherField,
    doc: "The teacher in this environment. `null` uses the run's `teacher`.",
  },
  max_failing_rollouts: {
    type: "integer",
    min: 0,
    default: 0,
    change: "tunable",
    doc: "How many rollouts of a group may fail (timeout, error, no reward) before training skips the whole group.",
  },
  weight: {
    type: "number",
    above: 0,
    default: 1,
    change: "identity",
    doc: "This environment's share of the tasks, relative to the others. Used with `mix: weighted`.",
  },
  temperature: {
    type: "number",
    min: 0,
    max: 2,
    default: 1,
    change: "tunable",
    isCommon: true,
    doc: "Sampling temperature in training. Keep 1, because reported log-probabilities are those at temperature 1.",
  },
  top_p: {
    type: "number",
    min: 0,
    max: 1,
    ...OPTIONAL,
    change: "tunable",
    doc: "Nucleus sampling threshold. `null` means 1: no truncation, which keeps training on-policy.",
  },
  top_k: {
    type: "integer",
    min: 0,
    ...OPTIONAL,
    change: "tunable",
    doc: "Sample only from the k most likely tokens. `null` and 0 mean no truncation.",
  },
  reward_reduction: {
    type: "enum",
    values: ["sum", "mean", "max", "min", "last"],
    default: "sum",
    change: "tunable",
    doc: "How the rewards of a rollout are combined into one.",
  },
  group_scoring: {
    type: "boolean",
    default: true,
    change: "tunable",
    isAdvanced: true,
    doc: "Whether an environment that compares the rollouts of a group (`supports_score_group`) scores them when all have ended. The score becomes the last reward of the rollout: `sum` adds it to the others, `last` uses only the score. Training skips a group that cannot be scored.",
  },
  nonterminal_reward: {
    type: "number",
    ...OPTIONAL,
    examples: [0],
    change: "tunable",
    isCommon: true,
    doc: "Reward for a rollout that ends before the environment says it is finished. `null` gives none, so a rollout without any reward counts as failed.",
  },
  nonterminal_mode: {
    type: "enum",
    values: ["append", "replace"],
    default: "append",
    change: "tunable",
    isAdvanced: true,
    doc: "`append` adds `nonterminal_reward` to the rewards before they are reduced; `replace` makes it the rollout's reward. For example, rewards 0.5 and 1 with value 0 and `mean` give 0.5 with `append` and 0 with `replace`.",
  },
  min_reward: {
    type: "number",
    ...OPTIONAL,
    change: "tunable",
    doc: "Lower bound of a rollout's reward, applied after the reduction.",
  },
  max_reward: {
    type: "number",
    ...OPTIONAL,
    change: "tunable",
    doc: "Upper bound of a rollout's reward, applied after the reduction.",
  },
  success_reward: {
    type: "number",
    ...OPTIONAL,
    examples: [0.5],
    change: "tunable",
    doc: "A rollout with at least this reward counts as a success, in metrics and in evaluations (`success_frac`, pass@k). `null` means `max_reward` if that is set, otherwise 1. Does not affect training.",
  },
  max_turns: {
    ...COUNT,
    default: 50,
    change: "tunable",
    isCommon: true,
    doc: "Number of model turns after which a rollout ends.",
  },
  max_tool_calls: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    doc: "Number of tool calls after which a rollout ends, even in the middle of a turn with more calls. `null` sets no limit.",
  },
  parallel_tool_calls: {
    type: "boolean",
    default: false,
    change: "tunable",
    isAdvanced: true,
    doc: "Whether the tool calls of one turn run concurrently, up to 8. Use it only where their order does not matter. Results and rewards keep the order of the calls. If a call ends the episode, later calls do not count, and unfinished ones were not run. Servers of `openreward` still run calls of the same tool one after the other, unless the tool is declared `concurrent`.",
  },
  max_sampled_tokens: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    unit: "tokens",
    doc: "Maximum number of tokens the model may write in a rollout, over all turns. The turn that reaches it is cut off, and the rollout ends. `null` sets no limit other than `max_total_tokens`.",
  },
  max_consecutive_parse_errors: {
    ...COUNT,
    default: 3,
    change: "tunable",
    isAdvanced: true,
    doc: "Number of consecutive turns with a malformed tool call after which a rollout ends.",
  },
  max_no_tool_turns: {
    ...COUNT,
    default: 3,
    change: "tunable",
    isAdvanced: true,
    doc: "Number of consecutive turns without a tool call after which a rollout ends. Before that, the model is asked to use its tools.",
  },
  on_turn_truncation: {
    type: "enum",
    values: ["continue", "stop"],
    default: "continue",
    change: "tunable",
    isAdvanced: true,
    doc: "What to do after a turn is cut off at `max_response_tokens`: close the turn and continue, or end the rollout.",
  },
  on_image: {
    type: "enum",
    values: ["error", "placeholder"],
    default: "error",
    change: "tunable",
    isAdvanced: true,
    doc: "What to do with an image from the environment: `error` sends it to a model that reads images, and fails the rollout if the model reads only text; `placeholder` shows every model the text `[image]` instead.",
  },
  toolset_name: {
    type: "string",
    ...OPTIONAL,
    examples: ["claude-code"],
    change: "fixed",
    isAdvanced: true,
    doc: "Name of a toolset whose tools the server adds to those of the environment. Needs an `openreward` server and an environment with a sandbox; other servers refuse it. `null` adds none.",
  },
  session_env: {
    type: "map",
    keyName: "variable",
    of: { type: "string", nullable: true },
    ...OPTIONAL,
    examples: [{ OPENAI_BASE_URL: "https://models.example.com/v1" }],
    change: "fixed",
    isAdvanced: true,
    doc: "Variables that OpenReward sets for the environment in this run's sessions. Only the owner of an environment may set any other than `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`. The value `null` takes the secret of the same name from `secrets`. Servers of your own ignore them.",
  },
  max_concurrency: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    isAdvanced: true,
    doc: "Maximum number of concurrent rollouts in this environment. `null` uses the limit of the run.",
  },
  secrets: {
    type: "map",
    keyName: "secret",
    of: { type: "string", nullable: true, isSecret: true },
    ...OPTIONAL,
    change: "fixed",
    doc: 'Secrets for this environment, which override the global ones. The value `null` looks up the secret by its name; `""` withholds it from this environment.',
  },
} as const satisfies FieldTable;
