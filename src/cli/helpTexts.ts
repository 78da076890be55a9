/** The help of every command: what it does, an example, and where results go. */

import type { CommandName } from "./flags.ts";
import type { Invocation } from "./invocation.ts";
import type { Line } from "./line.ts";

type HelpText = (program: string) => string;

const GENERAL: HelpText = (program) => `Trains language-model agents with reinforcement learning.

  ${program} COMMAND

  train --config_path FILE   train a model as a configuration says
  resume RUN_FOLDER          go on with a run from its last checkpoint
  evaluate MODEL …           measure checkpoints and the base model side by side
  sweep --config_path FILE   train with each combination of several values
  control RUN_FOLDER ACTION  pause, continue, save, stop or change a running run
  estimate FILE              say what a training is going to take
  validate FILE              check a configuration, without any service
  show-prompt FILE           show the first prompt of a task, without a step
  runs [FOLDER]              list runs: state, step, reward
  show RUN_FOLDER            look into a run: steps, rollouts, turns, tokens
  chat CHECKPOINT|RUN|MODEL  talk to weights, with or without an environment
  models                     list the models that can be trained
  checkpoints WORD …         list, download, share and delete saved weights
  serve                      open the local services to other programs
  COMMAND --help             explain a command
  --version                  print the version

Try it without any key; this trains a small bundled model on this machine:

  ${program} train --config_path examples/local/tinker-config.yaml

Models and environments whose names begin with local/ run here; all others are
reached with TINKER_API_KEY and OPENREWARD_API_KEY, from the environment or from
a .env file beside the configuration.

Exit codes: 0 done, 2 configuration or arguments invalid, 3 stopped by the user,
4 out of capacity or budget, 5 a service failed, 6 interrupted, 1 a fault of the
program.`;

const OVERRIDES = `Keys are joined with dots: --environments.local/calculator.num_rollouts=4 sets
the group size of that environment. Values are YAML, null and [0, 1] too. Names
with dots may stand in double quotes. The last setting of a key wins.`;

const TRAIN: HelpText = (program) => `Trains a model as a configuration file says.

  ${program} train --config_path FILE

  -c, --config_path FILE   YAML or JSON; the bare FILE works as well
  --overrides KEY=VALUE …  settings over those of the file; see below
  --KEY VALUE              the same for one setting; --KEY=VALUE as well
  --allow-host HOST        let keys go to https://HOST, where a .env file leads;
                           http://HOST allows an address without encryption
  --dry_run                play everything up to the first update and print it:
                           prompt, a rollout turn by turn, rewards, what would
                           be trained, alarms; no weights are changed
  --groups N               with --dry_run: tasks to play, by default 2
  --keep                   with --dry_run: leave its run folder, NAME-dry-run

Examples:

  ${program} train --config_path examples/local/tinker-config.yaml
  ${program} train examples/local/tinker-config.yaml --dry_run
  ${program} train -c examples/local/tinker-config.yaml --max_steps 5

${OVERRIDES}

Everything goes into a run folder of its own: by default
.tinker-rl/runs/NAME beside the configuration, or log_path/NAME. A second run of
the same name becomes NAME-2; nothing is overwritten. The folder holds
metrics.jsonl (one line a step), every rollout with its tokens, evaluations and
the list of checkpoints. Look into it, also while it grows, with:

  ${program} show RUN_FOLDER

Ctrl+C gives up the step under way, saves the last completed one and ends
(exit code 3). A second Ctrl+C ends at once (exit code 6). Both can be resumed.`;

const RESUME: HelpText = (
  program,
) => `Goes on with a run from its last checkpoint, in the same folder.

  ${program} resume RUN_FOLDER

  --overrides KEY=VALUE …  settings over those of the file; --KEY VALUE as well
  --allow-host HOST        let keys go to https://HOST, where a .env file leads;
                           http://HOST allows an address without encryption

Example:

  ${program} resume .tinker-rl/runs/demo --max_steps 80

Weights, optimizer, place in the data and seeds are those of the checkpoint, so
that a resumed run equals one that was never interrupted. Steps after the
checkpoint are run again; what they had written moves to superseded/ in the run
folder. The configuration is read anew from its file: settings that make the run
what it is cannot change, others, such as learning_rate or max_steps, can.
Overrides of the run stay in force; new ones are added to them.`;

const EVALUATE: HelpText = (
  program,
) => `Measures models side by side on the same tasks, without training.

  ${program} evaluate [MODEL …] [--config_path FILE] [FLAGS]

  MODEL                    base, for the base model that model_name names;
                           a run folder, for its newest checkpoint; FOLDER@10,
                           for its checkpoint after 10 steps; or a checkpoint
                           tinker://RUN/sampler_weights/NAME; by default base
                           and the run of the configuration
  -c, --config_path FILE   environments, splits and settings; by default the
                           configuration of the first run folder
  --splits SPLIT           splits to play, as SPLIT or ENVIRONMENT=SPLIT,SPLIT;
                           by default those of the key evaluation
  --num_samples N          tasks of each split; null for all
  --rollouts_per_task N    rollouts of each task at each temperature
  --temperature T,T        sampling temperatures; 0 is greedy
  --json                   print the results as JSON, and progress on stderr
  --overrides KEY=VALUE …  settings over those of the file; --KEY VALUE as well
  --allow-host HOST        let keys go to https://HOST, where a .env file leads;
                           http://HOST allows an address without encryption

Example:

  ${program} evaluate base RUN_FOLDER@10 RUN_FOLDER --rollouts_per_task 4

All models play the same tasks with the same seeds. Each is compared with the
first one task by task; intervals hold with 95 %, by bootstrap over tasks. pass@k
is the chance that one of k rollouts reaches environments.NAME.success_reward.

Rollouts and results go to a folder of their own, NAME-evaluation beside the runs;
look into it with ${program} show FOLDER --eval. The same command goes on
with an evaluation that was interrupted, and plays no finished rollout again.`;

const SWEEP: HelpText = (program) => `Trains once with each combination of several values.

  ${program} sweep --config_path FILE --grid KEY=VALUE,VALUE …

  --grid KEY=VALUE,VALUE   a key that varies, with its values; once for each key
  --parallel N             runs that go on at once, by default 1
  --retry-failed           try runs again that failed in an earlier start
  --show                   show the runs and how far they are, and start none
  --json                   print the table as JSON, and progress on stderr
  --yes                    start more than 100 runs
  -c, --config_path FILE   YAML or JSON; the bare FILE works as well
  --overrides KEY=VALUE …  settings of all runs; --KEY VALUE as well
  --allow-host HOST        let keys go to https://HOST, where a .env file leads;
                           http://HOST allows an address without encryption

Example:

  ${program} sweep examples/local/tinker-config.yaml --grid learning_rate=4e-3,8e-3 --grid seed=1,2 --max_steps 10

${OVERRIDES}
A comma within brackets or quotes separates no values.

The whole grid is checked before the first run starts. Every run is an ordinary
one with a folder of its own, named NAME-sweep.KEY_VALUE. At Weights & Biases
the runs form a group. The folder NAME-sweep beside them holds sweep.json.

The same command goes on with the sweep: runs that are done are left alone, those
that were stopped or interrupted are resumed. Another grid, or another run_name,
is another sweep. A run can be paused, stopped and resumed like any other.

Ctrl+C saves and stops the runs under way and starts no more; a second one ends
at once. The exit code is 0 when all runs are done, else the worst of theirs: 1,
2, 5, 4, 6, 3, in this order.`;

const ESTIMATE: HelpText = (
  program,
) => `Says what a training is going to take: tokens, USD and hours.

  ${program} estimate FILE [FLAGS]

  --from RUN_FOLDER        rest on this run; by default on the newest run of the
                           same environments and model beside the configuration
  --groups N               play N groups in each environment instead, by default
                           2 where there is no such run; no weights are changed
  --yes                    play them although the service bills them
  --json                   print the estimate as JSON, and progress on stderr
  --overrides KEY=VALUE …  settings over those of the file; --KEY VALUE as well
  --allow-host HOST        let keys go to https://HOST, where a .env file leads;
                           http://HOST allows an address without encryption

Example:

  ${program} estimate examples/local/tinker-config.yaml --groups 2

Every prompt of every turn is counted, evaluations, groups that refill takes,
and the forward passes of kl_coef and off_policy_correction. USD come with all
four prices: those of the key prices, or the vendor's list. The ranges hold nine
tenths of what the played groups let expect; the model may still learn to write
more or less.`;

const VALIDATE: HelpText = (program) => `Checks a configuration and contacts no service.

  ${program} validate FILE

  --overrides KEY=VALUE …  check it with these settings; --KEY VALUE as well
  --json                   one JSON value in place of lines

Example:

  ${program} validate examples/local/tinker-config.yaml

Prints a line for each finding, as FILE:LINE:COLUMN: error: … or warning: …
Exit code 0 when it can be trained with, 2 when it cannot.`;

const SHOW_PROMPT: HelpText = (
  program,
) => `Shows the first prompt of a task as the model reads it, without a step.

  ${program} show-prompt FILE [FLAGS]

  --split S                the split; by default the first of the configuration
  --task N                 the number of the task in its split, from 0
  --environment NAME       the environment, where the configuration has several
  --ids                    print the ids of all tokens as well
  --overrides KEY=VALUE …  settings over those of the file; --KEY VALUE as well
  --allow-host HOST        let keys go to https://HOST, where a .env file leads;
                           http://HOST allows an address without encryption

Examples:

  ${program} show-prompt examples/local/tinker-config.yaml
  ${program} show-prompt examples/local/tinker-config.yaml --split test --task 3

Prints the prompt with its control tokens marked, its length, the tokens that end
a turn, and what a call of the first tool and its result look like in this model's
format. Opens one session with the environment, which is asked for the tools and
the prompt of this task only; it needs the keys that a training run needs there.
No model is trained or sampled, so that TINKER_API_KEY is not needed.`;

const CONTROL: HelpText = (program) => `Controls a running run from another terminal.

  ${program} control RUN_FOLDER ACTION

  status             show what the run is doing
  pause              wait after the step under way
  continue           go on after a pause
  save               save the last completed step, without holding anything up
  stop               give up the step under way, save the last completed one, end
  stop-now           end at once, without saving
  set KEY=VALUE …    change settings from the next step on

Examples:

  ${program} control .tinker-rl/runs/demo pause
  ${program} control .tinker-rl/runs/demo set learning_rate=5e-4

Settings that can change while a run goes on are those with "any step" in
docs/configuration.md; a resumed run keeps them.`;

const RUNS: HelpText = (program) => `Lists runs, the newest first.

  ${program} runs [FOLDER]

  FOLDER   a folder that holds runs, a project with .tinker-rl/runs in it, or a
           configuration file; by default this folder, and where its
           tinker-config.yaml puts runs

  --json   one JSON value in place of the tables

Example:

  ${program} runs examples/local

"repeats" is how many completed steps would be run again if the run were resumed
from its last checkpoint. A line below the table names each run whose last state
is about to expire. A run that claims to be running, but whose trainer is gone,
is shown as interrupted.`;

const SHOW: HelpText = (program) => `Shows what a run did, also while it is running.

  ${program} show RUN_FOLDER [FLAGS]

  --step N      the rollouts of a step, as a table
  --group N     with --step: all rollouts of one task, turn by turn
  --rollout N   with --step and --group: this rollout only
  --tokens      with --rollout: each token with its mask, log-probabilities,
                advantage, and the token it is trained to predict
  --eval        evaluations instead of training; with --step N (completed steps,
                0 = before training) the rollouts of one, with --rollout N too
                one of these turn by turn
  --json        one JSON value in place of text, with any of these
  --billed      what the service has billed for the run, by its own list, which
                lags by hours. Needs TINKER_API_KEY, of an account with the role
                admin or billing; --allow-host HOST as in train.

Examples:

  ${program} show .tinker-rl/runs/demo
  ${program} show .tinker-rl/runs/demo --step 12
  ${program} show .tinker-rl/runs/demo --step 12 --group 3 --rollout 1 --tokens

Steps, groups, rollouts and turns count from 1, as on the screen while training;
in the files of the run folder they count from 0. Output is plain text on
stdout, made for less and grep. Nothing in the folder is changed.`;

const MODELS: HelpText = (program) => `Lists the models that can be trained.

  ${program} models

  --allow-host HOST  let the key go to https://HOST, where a .env file leads;
                     http://HOST allows an address without encryption

With TINKER_API_KEY in the environment or in a .env file of this folder, the list
is the service's own. Without a key it is the table of this program, with its
date; models that are retired are not in it.

"context" is in units of 1024 tokens; a second number is that of a variant that
costs more. "images" says whether the model reads them. "thinking" says whether
the model reasons before it answers, then what thinking.effort may be.`;

const CHECKPOINTS: HelpText = (
  program,
) => `Lists, downloads, shares, keeps and deletes saved weights.

  ${program} checkpoints list [RUN_FOLDER]     those of a run; without it all
  ${program} checkpoints info PATH             base model, rank, size, expiry
  ${program} checkpoints download SOURCE       as a folder that peft loads; SOURCE
                                           is a PATH or a run folder
  ${program} checkpoints publish PATH …        for everyone who knows the address
  ${program} checkpoints unpublish PATH …
  ${program} checkpoints set-ttl PATH … TIME   kept for 12h, 30d, 8w or never (no end)
  ${program} checkpoints delete PATH …         for good

  --name NAME        checkpoint of a run folder: that of a download, by default the
                     newest, or one to change, with RUN_FOLDER in place of PATH;
                     checkpoints.jsonl then says until when it is kept
  --output FOLDER    where a download goes
  --json             one JSON value in place of text (list, info, download)
  --local            only the store of this computer, asking no service
  --allow-host HOST  let the key go to https://HOST, where a .env file leads;
                     http://HOST allows an address without encryption

Examples:

  ${program} checkpoints download .tinker-rl/runs/demo --output demo-weights
  ${program} checkpoints delete tinker://RUN/weights/checkpoint_000050

PATH is an address of checkpoints.jsonl in a run folder; weights to train on from
and weights to sample with are two of them. Those of local runs lie in a store of
this computer, all others at Tinker, which is asked with TINKER_API_KEY.

A download that was interrupted goes on when the same command is run again. Tinker
makes the files from weights to train on from (tinker://RUN/weights/NAME), in a
session of its own, which it may bill. Deleting cannot be undone: a run whose last
checkpoint is gone cannot be resumed.`;

const SERVE: HelpText = (
  program,
) => `Opens the local engine and environments to other programs on this machine.

  ${program} serve [FLAGS]

  --tinker_port N        port of the Tinker service; any free one by default
  --environments_port N  port of the environments; any free one by default
  --max_sessions N       sessions of the environments at once; more are refused
                         with 429, as a hosted environment at capacity does
  --store DIR            folder for checkpoints; by default the one that local
                         runs of this user share
  --model NAME           serve RANDOM weights under the name of any model, for
                         tests and to look at its format; with --tokenizer
  --tokenizer NAME       the tokenizer for it: a folder, or a model on the hub

Examples:

  ${program} serve --tinker_port 8001 --environments_port 8002
  ${program} serve --model Qwen/Qwen3-8B --tokenizer ./qwen3-8b-tokenizer

Prints both addresses, a fresh key, and the variables to set so that the
official Python packages train here. Serves until Ctrl+C.`;

const CHAT: HelpText = (
  program,
) => `Talks to a checkpoint, to a run's newest weights, or to a model.

  ${program} chat CHECKPOINT|RUN_FOLDER|MODEL [FLAGS]

  -c, --config FILE        chat format and settings; by default those of the run
  --environment NAME       play a task of this environment: it runs the calls
  --split S, --task N      which one; by default task 0 of the first split
  --step N --group G --rollout R --turn T
                           go on from a turn of a rollout of the run, behind the
                           very tokens that the model read there
  --replay                 with --turn: play the rollout again up to there in a
                           fresh session, which then runs the calls
  --beside OTHER           a second one beside it, on the same messages
  --system TEXT            in place of the system text of the configuration
  --temperature X          by default that of the configuration
  --seed N                 the same seed gives the same turns
  --max_tokens N           most tokens of a turn
  --samples N              sample N turns side by side, and pick one
  --json                   print a line of JSON for each turn, with its tokens
  --overrides KEY=VALUE …  settings over those of the file; --KEY VALUE as well
  --allow-host HOST        let keys go to https://HOST, where a .env file leads;
                           http://HOST allows an address without encryption

Examples:

  ${program} chat local/tiny-tool --environment local/calculator --task 3
  ${program} chat .tinker-rl/runs/demo --step 10 --group 1 --rollout 2 --turn 1
  echo "Hello" | ${program} chat local/tiny-tool --json

Each line is a message; /help lists the commands, such as /undo and /again.
Ctrl+C stops the sample under way; when there is none, it leaves.`;

const TOPICS: Readonly<Record<CommandName, HelpText>> = {
  train: TRAIN,
  resume: RESUME,
  evaluate: EVALUATE,
  sweep: SWEEP,
  control: CONTROL,
  estimate: ESTIMATE,
  validate: VALIDATE,
  "show-prompt": SHOW_PROMPT,
  runs: RUNS,
  show: SHOW,
  models: MODELS,
  chat: CHAT,
  checkpoints: CHECKPOINTS,
  serve: SERVE,
};

/** The help of a command, or of the program when `topic` is null; examples can be copied as they are. */
export function helpLines(topic: CommandName | null, { program }: Invocation): readonly Line[] {
  const text = topic === null ? GENERAL : TOPICS[topic];
  return text(program ?? "tinker-rl")
    .split("\n")
    .map((row) => [row]);
}
