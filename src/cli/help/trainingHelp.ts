/** Help for the commands that train and that control trainings. */

import type { HelpTexts } from "./helpText.ts";

const OVERRIDES = `Join keys with dots: --environments.local/calculator.num_rollouts=4 sets the
group size of that environment. Values are YAML, such as null or [0, 1]. Put
names with dots in double quotes. The last setting of a key wins.`;

export const TRAINING_HELP = {
  train: (program) => `Trains a model from a configuration file.

  ${program} train --config_path FILE

  -c, --config_path FILE   YAML or JSON; the flag name is optional
  --overrides KEY=VALUE …  settings that override the file; see below
  --KEY VALUE              the same for one setting; also as --KEY=VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted
  --dry_run                do everything up to the first update and print it:
                           prompt, a rollout turn by turn, rewards, what would
                           be trained, alarms; no weights are changed
  --groups N               with --dry_run: number of tasks, by default 2
  --keep                   with --dry_run: keep its run folder, NAME-dry-run
  --stage=NAME             train only this stage of a file with stages

Examples:

  ${program} train --config_path examples/local/tinker-config.yaml
  ${program} train examples/local/tinker-config.yaml --dry_run
  ${program} train -c examples/local/tinker-config.yaml --max_steps 5

${OVERRIDES}

Each run has its own folder: by default .tinker-rl/runs/NAME next to the
configuration, or log_path/NAME. A second run with the same name becomes NAME-2;
nothing is overwritten. The folder contains metrics.jsonl (one line per step),
every rollout with its tokens, evaluations and the list of checkpoints. Inspect
it at any time with:

  ${program} show RUN_FOLDER

Ctrl+C discards the unfinished step, saves the last completed one, and ends
(exit code 3). A second Ctrl+C ends immediately (exit code 6). Both can be
resumed.`,
  resume: (program) => `Resumes a run from its last checkpoint, in the same folder.

  ${program} resume RUN_FOLDER

  -c, --config_path FILE   the configuration, instead of the file that the run
                           folder names; needed if the folder is not your own
  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted

Example:

  ${program} resume .tinker-rl/runs/demo --max_steps 80

Weights, optimizer, position in the data and seeds come from the checkpoint, so
a resumed run equals one that was never interrupted. Steps after the checkpoint
run again; their old files move to superseded/ in the run folder. The
configuration is read again: settings that define the run cannot change; others,
such as learning_rate or max_steps, can. Overrides of the run still apply; new
ones are added to them.`,
  sweep: (program) => `Trains once with each combination of several values.

  ${program} sweep --config_path FILE --grid KEY=VALUE,VALUE …

  --grid KEY=VALUE,VALUE   a key that varies, with its values; once per key
  --halve STEPS            after STEPS steps only the better half goes on, after
                           twice as many the better half of these, and so on
  --parallel N             number of concurrent runs, by default 1
  --retry-failed           retry runs that failed in an earlier start
  --show                   show the runs and their progress, and start none
  --json                   print the table as JSON, and progress on stderr
  --yes                    start more than 100 runs
  -c, --config_path FILE   YAML or JSON; the bare FILE works as well
  --overrides KEY=VALUE …  settings of all runs; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted

Example:

  ${program} sweep examples/local/tinker-config.yaml --max_steps 10 \\
      --grid learning_rate=4e-3,8e-3 --grid seed=1,2

${OVERRIDES}
A comma within brackets or quotes does not separate values.

The whole grid is checked before the first run starts. Every run is an ordinary
run with its own folder, named NAME-sweep.KEY_VALUE. At Weights & Biases the
runs form a group. The folder NAME-sweep next to them contains sweep.json.

The same command continues the sweep: it keeps runs that are done, and resumes
those that were stopped or interrupted. Another grid, or another run_name, is
another sweep. A run can be paused, stopped and resumed like any other.

Ctrl+C saves and stops the current runs and starts no more; a second one ends at
once. The exit code is 0 if all runs are done, otherwise the worst code of a
run, in this order: 1, 2, 5, 4, 6, 3.`,
  control: (program) => `Controls a running run from another terminal.

  ${program} control RUN_FOLDER ACTION

  status             show what the run is doing
  pause              wait after the current step
  continue           continue after a pause
  save               save the last completed step without pausing
  stop               discard the unfinished step, save the last one, end
  stop-now           end immediately, without saving
  set KEY=VALUE …    change settings from the next step on

  --json             with status: print it as JSON

Examples:

  ${program} control .tinker-rl/runs/demo pause
  ${program} control .tinker-rl/runs/demo set learning_rate=5e-4

Settings that can change during a run are those with "any step" in
docs/configuration.md; a resumed run keeps them.`,
} satisfies HelpTexts;
