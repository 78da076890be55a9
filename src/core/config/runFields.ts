/** Fields of the configuration about a run itself (data, length, saving) and the services it reports to. */

import { alarmFields } from "./alarmFields.ts";
import { environmentFields } from "./environmentFields.ts";
import { evaluationFields } from "./evaluationFields.ts";
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

const HTTP_URL = {
  type: "string",
  pattern: "^https?://[^\\s/?#@]+([/?#]\\S*)?$",
  patternMeaning: "an address that begins with http:// or https://, without a user name",
} as const;

export const dataFields = {
  environments: {
    type: "map",
    keyName: "environment",
    of: { type: "object", fields: environmentFields },
    minEntries: 1,
    examples: [{ "local/calculator": { splits: { train: {} }, num_rollouts: 8 } }],
    change: "identity",
    doc: "The environments to train in, by name: `Owner/Name` on OpenReward, or `local/name` for a bundled one.",
  },
  batch_size: {
    type: "integer",
    min: 1,
    examples: [32, 16],
    change: "identity",
    doc: "Number of tasks per step. Each becomes a group of `num_rollouts` rollouts.",
  },
  mix: {
    type: "enum",
    values: ["proportional", "weighted"],
    default: "proportional",
    change: "identity",
    doc: "How several environments share the stream of tasks: by their number of tasks, or by their `weight`.",
  },
  shuffle: {
    type: "boolean",
    default: true,
    change: "identity",
    doc: "Whether every epoch takes the tasks in a new order, which depends on `seed` alone. `false` takes the tasks of every split in the order of their index, epoch after epoch; a split's own `shuffle` cannot turn it on again. Batches go across the ends of epochs either way.",
  },
  num_epochs: {
    type: "integer",
    min: 1,
    nullable: true,
    default: null,
    change: "tunable",
    examples: [1],
    doc: "How often to go through all tasks. `null` sets no end.",
  },
  max_steps: {
    type: "integer",
    min: 1,
    nullable: true,
    default: null,
    change: "tunable",
    unit: "steps",
    examples: [100],
    doc: "Number of steps after which the run ends, if `num_epochs` does not end it earlier. `null` sets no end.",
  },
  seed: {
    type: "integer",
    min: 0,
    default: 42,
    change: "identity",
    doc: "Decides the order of tasks and the seeds of all sampling.",
  },
} as const satisfies FieldTable;

export const runFields = {
  run_name: {
    type: "string",
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
    patternMeaning: "letters, digits, dots, dashes and underscores",
    nullable: true,
    default: null,
    change: "fixed",
    doc: "Name of the run and of its folder; a name that is taken gets `-2`, `-3` and so on. `null` takes `wandb_run_name`, else `openreward_run_name`, else the name of the configuration file.",
  },
  log_path: {
    type: "string",
    nullable: true,
    default: null,
    change: "fixed",
    doc: "Folder that holds a folder per run. A relative path starts at the configuration file; `null` means `.tinker-rl/runs` beside it.",
  },
  save_every: {
    type: "integer",
    min: 0,
    default: 10,
    change: "tunable",
    unit: "steps",
    doc: "Save a checkpoint after every so many steps. 0 saves at the end only.",
  },
  rolling_save_every: {
    type: "integer",
    min: 0,
    nullable: true,
    default: null,
    change: "tunable",
    isAdvanced: true,
    unit: "steps",
    doc: "Save a state to resume from after every so many steps; it is deleted once there is a newer save, at the latest after a day. `null` means 1 for local models and 5 for hosted ones; 0 turns it off.",
  },
  max_recoveries: {
    type: "integer",
    min: 0,
    default: 3,
    change: "fixed",
    isAdvanced: true,
    doc: "How often the run goes on by itself after the service has lost its session, for example because the service was restarted or the computer slept, or an embedded service has ended, for example because memory ran short: it opens a new session, loads the last state and repeats the steps since, as a resume does. Counted anew by each `resume`. 0 ends the run instead, and it can be resumed.",
  },
  resume_from: {
    type: "string",
    nullable: true,
    default: null,
    change: "fixed",
    examples: ["auto"],
    doc: "Continue from saved weights and optimizer state. `auto` goes on with the run of exactly this name if it has saved a state, and starts a new one otherwise; the folder of a run goes on with that run; a `tinker://` path starts a new run from that checkpoint.",
  },
  init_from: {
    type: "string",
    pattern: "^tinker://\\S+$",
    patternMeaning: "a path that begins with tinker://",
    nullable: true,
    default: null,
    change: "fixed",
    doc: "Start a new run from the weights at this `tinker://` path, with a fresh optimizer.",
  },
  evaluation: {
    type: "object",
    fields: evaluationFields,
    nullable: true,
    default: null,
    change: "tunable",
    doc: "Measures the model on tasks without training on them. `null` does not evaluate.",
  },
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
    doc: "End the run, saved, after the step with which its tokens have cost this much, those of evaluations and of repeated steps included. Needs prices: those of the price list, or `prices`. An alarm comes at 80 %. A resume with a higher budget goes on; `null` sets none.",
  },
  max_tokens_total: {
    type: "integer",
    min: 1,
    nullable: true,
    default: null,
    change: "tunable",
    unit: "tokens",
    doc: "End the run, saved, after the step with which it has used this many tokens of all kinds: sampled, sent as prompts and trained. Otherwise as `max_cost_usd`.",
  },
  max_hours: {
    type: "number",
    above: 0,
    nullable: true,
    default: null,
    change: "tunable",
    unit: "hours",
    doc: "End the run, saved, after the step with which it has taken this long, in all its attempts together and without pauses. Otherwise as `max_cost_usd`.",
  },
  target_reward: {
    type: "object",
    fields: targetFields,
    nullable: true,
    default: null,
    change: "tunable",
    doc: "End the run as done when the mean reward has reached a target over a number of steps in a row. `null` sets none.",
  },
  alarms: {
    type: "object",
    fields: alarmFields,
    default: {},
    change: "tunable",
    isAdvanced: true,
    doc: "Thresholds beyond which the run raises an alarm. `null` turns an alarm off.",
  },
  pause_on_alarm: {
    type: "boolean",
    default: false,
    change: "tunable",
    doc: "Whether a critical alarm pauses the run before its next step, so that nothing is spent until you have had a look. What is critical: few tool calls that can be read, copies among rollouts, rewards that are no numbers, a sampler with old weights, and `logprob_gap_critical`.",
  },
} as const satisfies FieldTable;

export const serviceFields = {
  tinker_base_url: {
    ...HTTP_URL,
    nullable: true,
    default: null,
    change: "fixed",
    isAdvanced: true,
    doc: "Address of the Tinker service. `null` takes `TINKER_BASE_URL`, else the hosted service.",
  },
  probe_server: {
    type: "boolean",
    default: true,
    change: "fixed",
    isAdvanced: true,
    doc: "Whether to find out before the first update if the Tinker service computes `loss_fn` with its parameters as documented, and how it reports log-probabilities where sampling is not plain. A service that computes another loss ends the run. Costs a request or two; `false` trusts the service.",
  },
  openreward_base_url: {
    ...HTTP_URL,
    nullable: true,
    default: null,
    change: "fixed",
    isAdvanced: true,
    doc: "Address of the server of the environments. `null` takes `OPENREWARD_SESSION_URL` or `OPENREWARD_ENVIRONMENTS_URL`, else `sessions.` before the host of `OPENREWARD_URL` or `OPENREWARD_BASE_URL`, else the hosted service. Any other server than the hosted one gets `ORS_API_KEY`, never `OPENREWARD_API_KEY`.",
  },
  secrets: {
    type: "map",
    keyName: "secret",
    of: { type: "string", nullable: true, isSecret: true },
    nullable: true,
    default: null,
    change: "fixed",
    doc: "Secrets for all environments, by name. `null` as a value looks the secret up by its name, which keeps it out of this file.",
  },
  wandb: {
    type: "enum",
    values: ["online", "offline", "disabled"],
    default: "disabled",
    change: "fixed",
    doc: "Whether metrics, the run's log and tables of trajectories go to Weights & Biases. `online` sends them and needs `WANDB_API_KEY`, or an entry in netrc; `offline` files them in the run folder for `wandb sync`. `WANDB_ENTITY` names the account or team.",
  },
  wandb_project_name: {
    type: "string",
    pattern: "^[^/\\\\#?%:]{1,128}$",
    patternMeaning: "at most 128 characters, none of them / \\ # ? % :",
    nullable: true,
    default: null,
    change: "fixed",
    examples: ["tinker-rl"],
    doc: "Weights & Biases project. Needed unless `wandb` is `disabled`.",
  },
  wandb_run_name: {
    type: "string",
    nullable: true,
    default: null,
    change: "fixed",
    doc: "Name of the run on Weights & Biases. `null` takes the run's own name.",
  },
  openreward_upload: {
    type: "boolean",
    default: false,
    change: "fixed",
    doc: "Whether the rollouts of training are uploaded to OpenReward, with their advantage and whether they were trained on; those of `local/…` environments too, those of evaluations not. Needs `OPENREWARD_API_KEY`. What a run could not upload, its next resume does.",
  },
  openreward_run_name: {
    type: "string",
    nullable: true,
    default: null,
    change: "fixed",
    doc: "Name of the run on OpenReward. `null` takes the run's own name.",
  },
} as const satisfies FieldTable;
