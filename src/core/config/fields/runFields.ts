/** Configuration fields for the run itself (data, length, saving) and the services it uses. */

import { alarmFields } from "./alarmThresholds.ts";
import { environmentFields } from "./environmentFields.ts";
import { evaluationFields } from "./evaluationFields.ts";
import { COUNT, type FieldTable, OPTIONAL } from "./field.ts";
import { notifyField } from "./notifyFields.ts";
import { HEADERS, HTTP_URL } from "./serverFields.ts";

export const dataFields = {
  environments: {
    type: "map",
    keyName: "environment",
    of: { type: "object", fields: environmentFields },
    minEntries: 1,
    optionalFor: "sft",
    examples: [{ "local/calculator": { splits: { train: {} }, num_rollouts: 8 } }],
    change: "identity",
    doc: "The environments to train in, by name: `Owner/Name` on OpenReward, `local/name` for an embedded one, or any name for one with its own `server`.",
  },
  batch_size: {
    ...COUNT,
    examples: [32, 16],
    change: "identity",
    doc: "Number of tasks per step. Each task is a group of `num_rollouts` rollouts.",
  },
  mix: {
    type: "enum",
    values: ["proportional", "weighted"],
    default: "proportional",
    change: "identity",
    doc: "How tasks are divided among several environments: by their number of tasks, or by their `weight`.",
  },
  curriculum: {
    type: "enum",
    values: ["none", "pools", "signal"],
    default: "none",
    change: "identity",
    doc: "Which tasks come next. `none` takes each task once per epoch. The others estimate how often the policy solves each task, starting from other models' results if OpenReward has them: `pools` mostly takes tasks that are neither solved nor out of reach, and sometimes others to check for changes; `signal` takes tasks whose groups should differ most in reward, per token. An epoch then has the same number of tasks, but some repeat and others are left out. The metrics `curriculum/…` count tasks by state.",
  },
  shuffle: {
    type: "boolean",
    default: true,
    change: "identity",
    doc: "Whether every epoch takes the tasks in a new order, which depends on `seed` alone. `false` takes the tasks of every split in index order in every epoch; a split's own `shuffle` cannot turn shuffling on again. Either way, batches can span two epochs.",
  },
  num_epochs: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    examples: [1],
    doc: "Number of passes over all tasks. `null` sets no limit. With `mix: weighted`, an epoch has as many tasks as all environments together: one with a large `weight` repeats tasks, and one with a small `weight` skips some.",
  },
  max_steps: {
    ...COUNT,
    ...OPTIONAL,
    change: "tunable",
    unit: "steps",
    examples: [100],
    doc: "Number of steps after which the run ends, if `num_epochs` does not end it earlier. `null` sets no limit.",
  },
  seed: {
    type: "integer",
    min: 0,
    default: 42,
    change: "identity",
    isCommon: true,
    doc: "Determines the order of tasks and all sampling seeds.",
  },
} as const satisfies FieldTable;

export const runFields = {
  run_name: {
    type: "string",
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
    patternMeaning: "letters, digits, dots, dashes and underscores",
    ...OPTIONAL,
    change: "fixed",
    isCommon: true,
    doc: "Name of the run and its folder; a name that is taken gets `-2`, `-3` and so on. `null` uses `wandb_run_name`, else `openreward_run_name`, else the name of the configuration file.",
  },
  log_path: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    doc: "Folder for the run folders. A relative path is resolved from the configuration file; `null` means `.tinker-rl/runs` next to it.",
  },
  save_every: {
    type: "integer",
    min: 0,
    default: 10,
    change: "tunable",
    unit: "steps",
    isCommon: true,
    doc: "Number of steps between checkpoints. 0 saves only at the end.",
  },
  rolling_save_every: {
    type: "integer",
    min: 0,
    ...OPTIONAL,
    change: "tunable",
    isAdvanced: true,
    unit: "steps",
    doc: "Number of steps between saved states to resume from. Each is deleted after a newer save, or after a day. `null` means 1 for embedded models and 5 for hosted ones; 0 turns it off.",
  },
  save_best: {
    type: "string",
    ...OPTIONAL,
    change: "tunable",
    examples: ["eval/local/calculator/test/greedy/reward_mean"],
    doc: "Keep the checkpoint with the highest value of this evaluation metric: `reward_mean` or `success_frac` of an environment, split and temperature (`greedy` or `temperature_1`). The run saves each checkpoint that it evaluates, marks the best one, and deletes earlier ones that were saved only for this. An evaluation with more than 10% failed rollouts does not count. `null` keeps no best checkpoint.",
  },
  max_recoveries: {
    type: "integer",
    min: 0,
    default: 3,
    change: "fixed",
    isAdvanced: true,
    doc: "How many times the run recovers automatically after the service loses its session, for example because the service restarted or the computer slept, or after an embedded service ends, for example because memory ran short. The run opens a new session, loads the last state and repeats the steps since, like a resume. Each `resume` resets the count. 0 ends the run instead; you can resume it.",
  },
  resume_from: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    examples: ["auto"],
    doc: "Continue from saved weights and optimizer state. `auto` continues the run with exactly this name if it has saved a state, and starts a new one otherwise; the folder of a run continues that run; a `tinker://` path starts a new run from that checkpoint.",
  },
  init_from: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    examples: [".tinker-rl/runs/demonstrations"],
    isCommon: true,
    doc: "Start a new run from these weights, with a fresh optimizer: a `tinker://` path, or the folder of a run, whose newest checkpoint is taken; `FOLDER@10` takes the one after 10 steps. A relative path is resolved from the configuration file.",
  },
  evaluation: {
    type: "object",
    fields: evaluationFields,
    ...OPTIONAL,
    change: "tunable",
    isCommon: true,
    doc: "Evaluates the model on tasks without training on them. `null` does not evaluate.",
  },
  alarms: {
    type: "object",
    fields: alarmFields,
    default: {},
    change: "tunable",
    isAdvanced: true,
    doc: "Thresholds at which the run raises an alarm. `null` turns an alarm off.",
  },
  pause_on_alarm: {
    type: "boolean",
    default: false,
    change: "tunable",
    doc: "Whether a critical alarm pauses the run before its next step, so that nothing is trained or issued until you look at it; rollouts in progress finish. With `max_steps_off_policy` each update then waits for the metrics of the one before. Critical alarms are: few readable tool calls, duplicate rollouts, invalid rewards, a sampler with old weights, `logprob_gap_critical`, and with `method: sft` `loss_rise`.",
  },
} as const satisfies FieldTable;

export const serviceFields = {
  tinker_base_url: {
    ...HTTP_URL,
    ...OPTIONAL,
    change: "fixed",
    isAdvanced: true,
    doc: "Address of the Tinker service. `null` uses `TINKER_BASE_URL`, otherwise the hosted service.",
  },
  tinker_headers: {
    ...HEADERS,
    isAdvanced: true,
    doc: "Headers for every request to the Tinker service, for a proxy in front of it. The value `null` looks the header up as a variable: `X-Proxy-Key` as `X_PROXY_KEY`.",
  },
  probe_server: {
    type: "boolean",
    default: true,
    change: "fixed",
    isAdvanced: true,
    doc: "Whether to check before the first update that the Tinker service computes `loss_fn` and its parameters as documented, and how it reports log-probabilities if `temperature`, `top_p` or `top_k` is set. The run ends if the service computes another loss. Costs one or two requests; `false` trusts the service.",
  },
  openreward_base_url: {
    ...HTTP_URL,
    ...OPTIONAL,
    change: "fixed",
    isAdvanced: true,
    doc: "Address of the environments' server. `null` uses `OPENREWARD_SESSION_URL` or `OPENREWARD_ENVIRONMENTS_URL`, otherwise `sessions.` before the host of `OPENREWARD_URL` or `OPENREWARD_BASE_URL`, otherwise the hosted service. Any server other than the hosted one gets `ORS_API_KEY`, never `OPENREWARD_API_KEY`. Environments with their own `server` do not use this address.",
  },
  secrets: {
    type: "map",
    keyName: "secret",
    of: { type: "string", nullable: true, isSecret: true },
    ...OPTIONAL,
    change: "fixed",
    doc: "Secrets for all environments, by name. The value `null` looks the secret up by its name, which keeps it out of this file.",
  },
  wandb: {
    type: "enum",
    values: ["online", "offline", "disabled"],
    default: "disabled",
    change: "fixed",
    doc: "Whether metrics, the run's log and tables of rollouts go to Weights & Biases. `online` sends them and needs `WANDB_API_KEY` or a netrc entry; `offline` writes them to the run folder for `wandb sync`. `WANDB_ENTITY` names the account or team.",
  },
  wandb_project_name: {
    type: "string",
    pattern: "^[^/\\\\#?%:]{1,128}$",
    patternMeaning: "at most 128 characters, none of them / \\ # ? % :",
    ...OPTIONAL,
    change: "fixed",
    examples: ["tinker-rl"],
    doc: "Weights & Biases project. Needed unless `wandb` is `disabled`.",
  },
  wandb_run_name: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    doc: "Name of the run on Weights & Biases. `null` uses the run's own name.",
  },
  openreward_upload: {
    type: "boolean",
    default: false,
    change: "fixed",
    doc: "Whether to upload the rollouts of training to OpenReward, with their advantage and whether they were trained on, including those of `local/…` environments. Needs `OPENREWARD_API_KEY`. A resume uploads what the run could not.",
  },
  openreward_upload_evaluations: {
    type: "boolean",
    default: false,
    change: "fixed",
    doc: "Whether to upload the rollouts of evaluations to OpenReward, including those of `tinker-rl evaluate`, as a run of type `eval` with this run's name and the suffix `-eval`. Needs `OPENREWARD_API_KEY`.",
  },
  openreward_run_name: {
    type: "string",
    ...OPTIONAL,
    change: "fixed",
    doc: "Name of the run on OpenReward. `null` uses the run's own name.",
  },
  notify: notifyField,
} as const satisfies FieldTable;

/** Keys that name a run or place its folder, and do not change its training. */
export const NAMING_KEYS: ReadonlySet<string> = new Set([
  "log_path",
  "run_name",
  "wandb_run_name",
  "openreward_run_name",
]);
