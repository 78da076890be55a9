/** Help for the planning commands: checking a configuration, prompts, cost, and the service's models. */

import type { HelpTexts } from "./helpText.ts";

export const PLANNING_HELP = {
  estimate: (program) => `Estimates the tokens, cost and time of a run.

  ${program} estimate FILE [FLAGS]

  --from RUN_FOLDER        estimate from this run; by default, of those next to
                           the configuration with the same model, environments
                           and agents, the one with the fewest other settings
  --groups N               sample N groups per environment instead, by default
                           2 if there is no such run; no weights are changed
  --grid KEY=VALUE,VALUE   estimate the runs of a sweep; once per key
  --yes                    sample them even if the service bills for it
  --json                   print the estimate as JSON, and progress on stderr
  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted

Example:

  ${program} estimate examples/local/tinker-config.yaml --groups 2

The estimate covers every prompt of every turn, evaluations, groups from refill,
and the forward passes of kl_coef and off_policy_correction. The cost needs all
four prices, from the key prices or the vendor's list. The ranges cover 90% of
the expected outcomes; docs/cli.md says what they assume.`,
  validate: (program) => `Checks a configuration without contacting a service.

  ${program} validate FILE

  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --json                   print one JSON value instead of lines

Example:

  ${program} validate examples/local/tinker-config.yaml

Prints a line for each finding, as FILE:LINE:COLUMN: error: … or warning: …
The exit code is 0 if a run can start with it, otherwise 2.`,
  "show-prompt": (
    program,
  ) => `Shows the first prompt of a task as the model reads it, without training.

  ${program} show-prompt FILE [FLAGS]

  --split S                the split; by default the first of the configuration
  --task N                 the number of the task in its split, from 0
  --environment NAME       the environment, if the configuration has several
  --ids                    print the ids of all tokens as well
  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted

Examples:

  ${program} show-prompt examples/local/tinker-config.yaml
  ${program} show-prompt examples/local/tinker-config.yaml --split test --task 3

Prints the prompt with its control tokens marked, its length, the tokens that
end a turn, and a call of the first tool with its result in this model's format.
Opens one session with the environment for the tools and the prompt of this
task, which needs the same keys as training there. No model is trained or
sampled, so TINKER_API_KEY is not needed.`,
  models: (program) => `Lists the models that can be trained.

  ${program} models

  --allow-host HOST  allow the key for https://HOST even if only a .env file or
                     a run folder names it; http://HOST: unencrypted
  --json             print the list as JSON

With TINKER_API_KEY in the environment or in a .env file in this folder, the
list comes from the service. Without a key it is a built-in table with its date,
without retired models.

"context" is in units of 1024 tokens; a second number is for a variant that
costs more. "images" says whether the model reads them. "thinking" says whether
the model reasons before it answers, then what thinking.effort may be.`,
  lsp: (program) => `Helps with configurations in an editor, over the Language Server Protocol.

  ${program} lsp

  --stdio   standard input and output; the only transport, and the default

Shows problems while you type, completes keys and values, shows hovers, offers
fixes, and links environments and folders. A configuration is a file named
tinker-config.yaml, .yml or .json, *.tinker.yaml or .yml, or a file with the
comment # tinker-rl: config in its first five lines. Contacts no service.

Start it from your editor. docs/editors.md has settings for several editors.`,
  mcp: (program) => `Lets an assistant read runs and plan them, over the Model Context Protocol.

  ${program} mcp [FLAGS]

  --root DIR            read nothing outside of it; by default this folder
  --install CLIENT      write an entry that starts this server to the folder:
                        claude, cursor, vscode; print it for codex
  --allow WORDS         what it may change, separated by commas: start,
                        evaluate, stop, pause, settings; by default nothing.
                        commands lets it start configurations that run their
                        own programs
  --max-usd N           total budget in USD for everything that it starts; 0 by
                        default, which is enough for embedded models
  --allow-host HOST     also start configurations that use https://HOST, and
                        send keys there; http://HOST: unencrypted
  --allow-secret NAME   a secret that environments may get; by default none

Examples:

  ${program} mcp --install claude
  ${program} mcp --install cursor --allow start,stop,evaluate --max-usd 5

The assistant starts the server, which uses standard input and output. Runs that
it starts continue when it ends. Each has its own budget, and all budgets
together stay within --max-usd. docs/agents.md has the tools, and what protects
you.`,
  serve: (program) => `Serves the embedded engine and environments to other programs here.

  ${program} serve [FLAGS]

  --tinker_port N        port of the Tinker service; any free one by default
  --environments_port N  port of the environments; any free one by default
  --max_sessions N       maximum concurrent environment sessions; more are
                         refused with 429, like a hosted environment at capacity
  --store DIR            folder for checkpoints; by default the one that your
                         local runs share
  --model NAME           serve RANDOM weights under the name of any model, for
                         tests and to inspect its format; needs --tokenizer
  --tokenizer NAME       the tokenizer for it: a folder, or a model on the
                         Hugging Face Hub

Examples:

  ${program} serve --tinker_port 8001 --environments_port 8002
  ${program} serve --model Qwen/Qwen3-8B --tokenizer ./qwen3-8b-tokenizer

Prints both addresses, a new key, and the variables that point the official
Python packages to them. Serves until Ctrl+C.`,
  "serve-model": (
    program,
  ) => `Serves a checkpoint, a run's newest weights or a model to other programs on
this computer, over an OpenAI- and Anthropic-compatible API.

  ${program} serve-model CHECKPOINT|RUN_FOLDER|MODEL|base [FLAGS]

  -c, --config_path FILE   chat format and settings; by default those of the
                           run; base is the model of this configuration
  --port N                 any free one by default
  --overrides KEY=VALUE …  settings that override the file; also as --KEY VALUE
  --allow-host HOST        allow keys for https://HOST even if only a .env file
                           or a run folder names it; http://HOST: unencrypted

Examples:

  ${program} serve-model .tinker-rl/runs/demo --port 8100
  ${program} serve-model base -c examples/local/tinker-config.yaml

Prints the address, a new key, and the variables that point the official
packages to it: /v1/chat/completions, /v1/responses, /v1/messages, /v1/models.
The model reads conversations in the tokens of its training, and its own turns
as it sampled them. Unsupported parameters are refused. Serves until Ctrl+C, and
then prints the tokens used and their cost.`,
} satisfies HelpTexts;
