/** Help for the commands for local environments. */

import type { HelpTexts } from "./helpText.ts";

export const ENV_HELP = {
  env: (program) => `Creates, plays and checks environments.

  ${program} env new NAME [--template T] [--venv|--no-venv] [-c FILE]

Writes environments/NAME next to the configuration: a server in Python, its
tasks, its tests and a README; adds it to the configuration, or writes one.
NAME has lowercase letters, digits, _ and -. No file is overwritten.

  --template T             question (default): one question, one answer
                           tools: lookups before an answer
                           state: several turns, partial rewards
                           code: a Python function, graded by hidden tests
                           judge: a rubric, graded by a model
  --venv, --no-venv        make a virtual environment with uv or Python's venv,
                           and install the packages, or do not; by default a
                           terminal asks

  ${program} env play [NAME] [-c FILE] [--split SPLIT] [--task N] [--tasks N]
                      [--player PLAYER] [--agent] [--no-save]

Lets you be the model in a task of a configuration, by default of its first
environment. A line is a call, such as answer {"number": 3}, or text; lines of
a script work too. It ends with the task, with /quit or with the input.

  --tasks N                number of tasks, starting at --task; 1 by default
  --player PLAYER          who plays instead of you: random, with --seed N; a
                           model, a checkpoint or a run folder; or an address
                           with an OpenAI-compatible API, such as
                           http://127.0.0.1:8000/v1, with --model NAME
  --key NAME               the variable with the key for that address, by
                           default OPENAI_API_KEY
  --agent                  let the agent of the configuration play; you, or
                           PLAYER, are its model
  --no-save                store nothing; by default the rollouts are stored as
                           an evaluation next to the runs

  ${program} env check [NAME …] [-c FILE|--url URL] [--split SPLIT] [--tasks N]
                       [--seed N] [--model MODEL] [--json] [--output FILE]

Plays each environment without a model, in up to 64 sessions at a time, and
reports what would harm training. It takes at most 15 minutes and several
hundred sessions: a hosted environment may bill them. An agent of the
configuration plays one task with a model that makes random calls. NAME is as
in a configuration; by default all of the configuration, or of the server.

  --url URL                the server, such as http://127.0.0.1:8080
  --tasks N                prompts to read per split, 32 by default
  --seed N                 seed of the random calls, 0 by default
  --model MODEL            also play with a model, a checkpoint or a run folder,
                           and compare the rewards of --groups N tasks (16) of
                           --group_size N rollouts (8), at the model's price
  --json                   print one JSON value, and progress on stderr
  --output FILE            also write that JSON value to a file

A defect makes rewards or tasks wrong. A warning may be intended and says what
it costs. Checks that do not apply to the environment are listed as not made.
The exit code is 0 without a defect and 2 with one.

All of them:

  -c, --config_path FILE   the configuration; by default tinker-config.yaml in
                           the working directory

play and check:

  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           names it; http://HOST: unencrypted

Examples:

  ${program} env new letters --template tools --venv
  ${program} env play letters
  ${program} env play letters --player random --tasks 20
  ${program} env check local/calculator`,
} satisfies HelpTexts;
