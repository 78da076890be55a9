/** The help of the commands that look at runs and use what they have trained. */

import type { HelpText } from "./helpText.ts";

export const RUNS: HelpText = (program) => `Lists runs, the newest first.

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

export const SHOW: HelpText = (program) => `Shows what a run did, also while it is running.

  ${program} show RUN_FOLDER [FLAGS]

  --step N      the rollouts of a step, as a table
  --group N     with --step: all rollouts of one task, turn by turn
  --rollout N   with --step and --group: this rollout only
  --tokens      with --rollout: each token with its mask, log-probabilities,
                advantage, and the token it is trained to predict
  --eval        evaluations instead of training; with --step N (completed steps,
                0 = before training) the rollouts of one, with --rollout N too
                one of these turn by turn, and its tokens with --tokens
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

export const SEARCH: HelpText = (program) => `Finds what was said in the rollouts of runs.

  ${program} search PATTERN [RUN …] [FLAGS]

  PATTERN         words, all of which must occur in a rollout; quotation marks in
                  it hold a phrase together; with --regex one regular expression
  RUN             a run folder, or what runs takes; by default all runs that runs
                  lists here

  --regex         PATTERN is a regular expression of JavaScript
  --role R,R      only texts of prompt, thinking, answer, call, result or error
  -i, --ignore-case
                  upper and lower case are alike
  --limit N       end after N rollouts
  --json          a line of JSON for each rollout, as soon as it is found

Examples:

  ${program} search '"sys.exit(0)"' --role call,answer
  ${program} search --regex 'rewards?\\s*=' .tinker-rl/runs/demo --limit 20

The newest run and the newest step come first. Steps, groups, rollouts and turns
count from 1, as show takes them; an evaluation is named by its completed steps.
Of each rollout the first places are printed. Nothing in the folders is changed.
When nothing is found the exit code is 0 as well, because 1 means a fault.`;

export const EVALUATE: HelpText = (
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
  --allow-host HOST        let keys go to https://HOST, where only a .env file
                           or a run folder leads; http://HOST: unencrypted

Example:

  ${program} evaluate base RUN_FOLDER@10 RUN_FOLDER --rollouts_per_task 4

All models play the same tasks with the same seeds. Each is compared with the
first one task by task, from 8 shared tasks on; intervals hold with 95 %. pass@k
is the chance that one of k rollouts reaches environments.NAME.success_reward.

Rollouts and results go to a folder of their own, NAME-evaluation beside the runs;
look into it with ${program} show FOLDER --eval. The same command continues
with an evaluation that was interrupted, and plays no finished rollout again.`;

export const CHAT: HelpText = (
  program,
) => `Talks to a checkpoint, to a run's newest weights, or to a model.

  ${program} chat CHECKPOINT|RUN_FOLDER|MODEL [FLAGS]

  -c, --config_path FILE   chat format and settings; by default those of the run
  --environment NAME       play a task of this environment: it runs the calls
  --split S, --task N      which one; by default task 0 of the first split
  --step N --group G --rollout R --turn T
                           continue from a turn of a rollout of the run, after the
                           very tokens that the model read there
  --eval --step N --rollout R --turn T
                           the same of the evaluation after N completed steps, by
                           the numbers of show --eval; also in its own folder
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
  --allow-host HOST        let keys go to https://HOST, where only a .env file
                           or a run folder leads; http://HOST: unencrypted

Examples:

  ${program} chat local/tiny-tool --environment local/calculator --task 3
  ${program} chat .tinker-rl/runs/demo --step 10 --group 1 --rollout 2 --turn 1
  echo "Hello" | ${program} chat local/tiny-tool --json

Each line is a message; /help lists the commands, such as /undo and /again.
Ctrl+C stops the sample under way; when there is none, it leaves.`;

export const CHECKPOINTS: HelpText = (
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
  --allow-host HOST  let the key go to https://HOST, where only a .env file or
                     a run folder leads; http://HOST: unencrypted

Examples:

  ${program} checkpoints download .tinker-rl/runs/demo --output demo-weights
  ${program} checkpoints delete tinker://RUN/weights/checkpoint_000050

PATH is an address of checkpoints.jsonl in a run folder; weights to continue training from
and weights to sample with are two of them. Those of local runs lie in a store of
this computer, all others at Tinker, which is asked with TINKER_API_KEY.

An interrupted download continues when the same command is run again. Tinker
makes the files from weights to continue training from (tinker://RUN/weights/NAME), in a
session of its own, which it may bill. Deleting cannot be undone: a run whose last
checkpoint is gone cannot be resumed.`;
