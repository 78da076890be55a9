/** Help for the commands that inspect runs and use their results. */

import type { HelpTexts } from "./helpText.ts";

export const RESULTS_HELP = {
  runs: (program) => `Lists runs, newest first.

  ${program} runs [FOLDER]

  FOLDER   a folder of runs, a run, a project with .tinker-rl/runs in it, or
           a configuration file; by default this folder, and where its
           tinker-config.yaml puts runs. If there are none, the folders
           one level down are searched

  --json   print one JSON value instead of the tables

Example:

  ${program} runs examples/local

"repeats" is the number of completed steps that run again if you resume the run
from its last checkpoint. A line below the table names each run whose last state
expires soon. A run whose trainer stopped unexpectedly is shown as interrupted.`,
  show: (program) => `Shows what a run did, even while it is running.

  ${program} show RUN_FOLDER [FLAGS]

  --step N      the rollouts of a step, as a table
  --group N     with --step: all rollouts of one task, turn by turn
  --rollout N   with --step and --group: only this rollout
  --tokens      with --rollout: each token with its mask, log-probabilities,
                advantage, and the token it is trained to predict
  --eval        evaluations instead of training; with --step N (completed steps,
                0 = before training) the rollouts of one evaluation; --rollout N
                shows one of them turn by turn, and --tokens its tokens
  --json        print one JSON value instead of text, with any of these
  --tasks       a curriculum's estimate for each task tried: its expected
                success, its pool, how often it was drawn, and the step that
                last trained it
  --billed      what the service billed for the run, from its own list, which
                lags by hours. Needs a TINKER_API_KEY with the role admin or
                billing; --allow-host HOST as in train.

Examples:

  ${program} show .tinker-rl/runs/demo
  ${program} show .tinker-rl/runs/demo --step 12
  ${program} show .tinker-rl/runs/demo --step 12 --group 3 --rollout 1 --tokens

Steps, groups, rollouts and turns count from 1, as in the training output; in
the files of the run folder they count from 0. Output is plain text on stdout,
for less and grep. Nothing in the folder is changed.`,
  search: (program) => `Finds text in the rollouts of runs.

  ${program} search PATTERN [RUN …] [FLAGS]

  PATTERN         words that must all occur in a rollout; use quotation marks
                  for a phrase; with --regex, one regular expression
  RUN             a run folder, or an argument of the command runs; by default
                  all runs that it lists here

  --regex         PATTERN is a JavaScript regular expression
  --role R,R      only texts of prompt, thinking, answer, call, result (also
                  that of a failed tool) or error (why a rollout failed)
  -i, --ignore-case
                  ignore case
  --limit N       stop after N rollouts
  --json          print a line of JSON per rollout, as soon as it is found

Examples:

  ${program} search '"sys.exit(0)"' --role call,answer
  ${program} search --regex 'rewards?\\s*=' .tinker-rl/runs/demo --limit 20

The newest run and the newest step come first. Steps, groups, rollouts and turns
count from 1, as in show; an evaluation is named by its completed steps. Prints
the first matches of each rollout. Nothing in the folders is changed. The exit
code is also 0 if nothing is found.`,
  report: (program) => `Writes a report of runs, to send or to keep.

  ${program} report RUN_FOLDER … [FLAGS]

  --format html|markdown   html, the default: one file with charts, evaluations,
                           alarms, notes, rollouts and the configuration, which
                           opens in any browser without a network. markdown: a
                           summary for a pull request, printed on stdout
  --output FILE            where to write; html goes to RUN-report.html by
                           default. A name that ends in .md means markdown

Examples:

  ${program} report .tinker-rl/runs/demo
  ${program} report .tinker-rl/runs/lr-* --output sweep.html
  ${program} report .tinker-rl/runs/demo --format markdown | gh pr comment -F -

Several runs share their charts, and the settings in which they differ are
listed. The rollouts are the best and the worst of the last step in which
rewards differ, and those with a star. A report contains no keys, but the texts
of prompts and answers: read it before you send it. Nothing in the folders is
changed.`,
  export: (program) => `Writes rollouts of runs as a dataset.

  ${program} export RUN_FOLDER … [FLAGS]

  --format FORMAT     messages, the default: JSONL in OpenAI's chat format;
                      tokens: JSONL of ids, log-probabilities, masks and
                      advantages; preference: JSONL of prompt, chosen and
                      rejected, the best and the worst rollout of each group
                      that can be written as messages and have the same
                      prompt; parquet: the messages as columns
  --where CONDITION   comparisons of reward, turns, tokens, tool_calls or step
                      (from 1, as in show) with a number, joined by and
  --starred           only rollouts with a star
  --tag TAG           only rollouts with this tag; may be repeated
  --max_per_task N    at most N of each task, the best first
  --license NAME      for the card, for example mit
  --output FOLDER     where to write; by default RUN-data

Examples:

  ${program} export .tinker-rl/runs/demo --where 'reward >= 1'
  ${program} export .tinker-rl/runs/demo --format parquet --starred

The folder gets a file per split and a card, README.md, with sources, filters
and counts. Rows of tasks that were trained on go to the split train, all others
to test. Duplicate conversations are written once, except as tokens. Stars, tags
and notes are included. The files contain no keys, but the texts of prompts and
answers: read them before you publish them.`,
  collect: (program) => `Plays training tasks several times, and keeps the good rollouts as data.

  ${program} collect MODEL [--config_path FILE] [FLAGS]

  MODEL               base, a run folder, FOLDER@10, or a checkpoint
                      tinker://RUN/sampler_weights/NAME
  -c, --config_path FILE
                      environments and settings; by default those of the run
  --samples N         rollouts of each task; by default 4
  --tasks N           number of tasks of each split; by default all
  --where CONDITION   which rollouts to keep, for example 'reward >= 1'
  --max_per_task N    at most N of each task, the best first
  --format, --license, --output
                      as for export
  --overrides KEY=VALUE …
                      settings that override the file; also as --KEY VALUE
  --allow-host HOST   allow keys for https://HOST even if only a .env file
                      or a run folder names it; http://HOST: unencrypted

Example:

  ${program} collect .tinker-rl/runs/demo --samples 8 --where 'reward >= 1'

Tasks come from the splits that the configuration trains on. Splits that it
evaluates, or that are named test, are refused. All rollouts are stored as a
separate evaluation. If you stop the command, run it again to continue.`,
  evaluate: (program) => `Compares models on the same tasks, without training.

  ${program} evaluate [MODEL …] [--config_path FILE] [FLAGS]

  MODEL                    base, for the base model that model_name names;
                           a run folder, for its newest checkpoint; FOLDER@10,
                           for its checkpoint after 10 steps; or a checkpoint
                           tinker://RUN/sampler_weights/NAME; by default base
                           and the run of the configuration
  -c, --config_path FILE   environments, splits and settings; by default the
                           configuration of the first run folder
  --splits SPLIT           splits to use, as SPLIT or ENVIRONMENT=SPLIT,SPLIT;
                           by default those in the key evaluation
  --num_samples N          tasks per split; null for all
  --rollouts_per_task N    rollouts per task and temperature
  --temperature T,T        sampling temperatures; 0 is greedy
  --json                   print the results as JSON, and progress on stderr
  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted

Example:

  ${program} evaluate base RUN_FOLDER@10 RUN_FOLDER --rollouts_per_task 4

All models get the same tasks with the same seeds. Each is compared with the
first model task by task, if they share at least 8 tasks; intervals are 95%
confidence intervals. pass@k is the chance that one of k rollouts reaches
environments.NAME.success_reward.

Rollouts and results go to the folder NAME-evaluation next to the runs; inspect
it with ${program} show FOLDER --eval. The same command continues an interrupted
evaluation without repeating finished rollouts.`,
  chat: (
    program,
  ) => `Talks to a checkpoint, to a run's newest weights (RUN_FOLDER@10: those after 10
steps), or to a model.

  ${program} chat CHECKPOINT|RUN_FOLDER|MODEL [FLAGS]

  -c, --config_path FILE   chat format and settings; by default those of the run
  --environment NAME       use a task of this environment, which runs the calls
  --split S, --task N      which one; by default task 0 of the first split
  --step N --group G --rollout R --turn T
                           continue from a turn of a rollout of the run, after
                           exactly the tokens that the model read there
  --eval --step N --rollout R --turn T
                           the same for the evaluation after N completed steps,
                           numbered as in show --eval; also in its own folder
  --replay                 with --turn: replay the rollout to that turn in a new
                           session, which then runs the calls
  --beside OTHER           other weights to compare, on the same messages
  --system TEXT            replace the system prompt of the configuration
  --temperature X          by default the one in the configuration
  --seed N                 the same seed gives the same turns
  --max_tokens N           maximum tokens per turn
  --samples N              sample N alternative turns, and pick one
  --json                   print a line of JSON per turn, with its tokens
  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted

Examples:

  ${program} chat local/tiny-tool --environment local/calculator --task 3
  ${program} chat .tinker-rl/runs/demo --step 10 --group 1 --rollout 2 --turn 1
  echo "Hello" | ${program} chat local/tiny-tool --json

Each line is a message; /help lists the commands, such as /undo and /again.
Ctrl+C stops the current sample; if there is none, it exits.`,
  checkpoints: (program) => `Lists, downloads, shares, keeps and deletes saved weights.

  ${program} checkpoints list [RUN_FOLDER]     checkpoints of a run, or all
  ${program} checkpoints info PATH             base model, rank, size, expiry
  ${program} checkpoints download SOURCE       to a folder that peft loads; from
                                           a PATH, RUN_FOLDER or RUN_FOLDER@10
  ${program} checkpoints publish PATH …        at Tinker: share with all who
                                           know it
  ${program} checkpoints unpublish PATH …
  ${program} checkpoints set-ttl PATH … TIME   expire after 12h, 30d, 8w or never
  ${program} checkpoints delete PATH …         delete permanently

  --name NAME        checkpoint of a run folder: the one to download, by default
                     the newest, or the one to change, with RUN_FOLDER instead
                     of PATH; only then the run's list records that it was
                     deleted, or when it expires
  --output FOLDER    where a download goes
  --for FORM         what a download is for: peft (default), vllm (also SGLang),
                     merged (the base model with the adapter in its weights)
  --base FOLDER      the base model as downloaded from Hugging Face: config.json
                     and safetensors; for merged, and for vllm with Nemotron
  --drop-unembed     for vllm: drop the change to the unembedding, which servers
                     refuse
  --json             print one JSON value instead of text (list, info, download)
  --local            only the store of this computer, without a service
  --allow-host HOST  allow the key for https://HOST even if only a .env file or
                     a run folder names it; http://HOST: unencrypted

Examples:

  ${program} checkpoints download .tinker-rl/runs/demo --output demo-weights
  ${program} checkpoints download .tinker-rl/runs/demo --for merged \\
      --base Qwen3-8B
  ${program} checkpoints delete .tinker-rl/runs/demo --name checkpoint_000050

PATH is an address in checkpoints.jsonl of a run folder; training states and
sampler weights have one each. Those of local runs are in a store on this
computer, all others at Tinker, which needs TINKER_API_KEY.

To continue an interrupted download, run the same command again. Tinker exports
the files from a training state (tinker://RUN/weights/NAME) in a separate
session, which it may bill. Deletion cannot be undone: a run without checkpoints
cannot be resumed.`,
  view: (program) => `Shows runs in a browser, with the pages of the editor.

  ${program} view
  ${program} view RUN_FOLDER --port 8080

  --port N  the port; any free one by default

Without a folder, shows the runs of this project: a table to filter and compare,
and a dashboard for each run, which pauses, saves, stops and changes one that is
running. FOLDER is a run, a folder of runs or of a project, or a configuration.

Prints an address with a token: anyone who has it can read and control the runs.
Only this computer can connect. From another one:

  ssh -L 8080:127.0.0.1:8080 HOST   # HOST runs: ${program} view --port 8080

Ctrl+C stops the server; runs continue.`,
} satisfies HelpTexts;
