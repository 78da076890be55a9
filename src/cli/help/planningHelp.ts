/** The help of the commands that look ahead: at a configuration, a prompt, a cost, and at what the service offers. */

import type { HelpText } from "./helpText.ts";

export const ESTIMATE: HelpText = (
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
  --allow-host HOST        let keys go to https://HOST, where only a .env file
                           or a run folder leads; http://HOST: unencrypted

Example:

  ${program} estimate examples/local/tinker-config.yaml --groups 2

Every prompt of every turn is counted, evaluations, groups that refill takes,
and the forward passes of kl_coef and off_policy_correction. USD come with all
four prices: those of the key prices, or the vendor's list. The ranges hold nine
tenths of what the played groups let expect; the model may still learn to write
more or less.`;

export const VALIDATE: HelpText = (program) => `Checks a configuration and contacts no service.

  ${program} validate FILE

  --overrides KEY=VALUE …  check it with these settings; --KEY VALUE as well
  --json                   one JSON value in place of lines

Example:

  ${program} validate examples/local/tinker-config.yaml

Prints a line for each finding, as FILE:LINE:COLUMN: error: … or warning: …
Exit code 0 when it can be trained with, 2 when it cannot.`;

export const SHOW_PROMPT: HelpText = (
  program,
) => `Shows the first prompt of a task as the model reads it, without a step.

  ${program} show-prompt FILE [FLAGS]

  --split S                the split; by default the first of the configuration
  --task N                 the number of the task in its split, from 0
  --environment NAME       the environment, where the configuration has several
  --ids                    print the ids of all tokens as well
  --overrides KEY=VALUE …  settings over those of the file; --KEY VALUE as well
  --allow-host HOST        let keys go to https://HOST, where only a .env file
                           or a run folder leads; http://HOST: unencrypted

Examples:

  ${program} show-prompt examples/local/tinker-config.yaml
  ${program} show-prompt examples/local/tinker-config.yaml --split test --task 3

Prints the prompt with its control tokens marked, its length, the tokens that end
a turn, and what a call of the first tool and its result look like in this model's
format. Opens one session with the environment, which is asked for the tools and
the prompt of this task only; it needs the keys that a training run needs there.
No model is trained or sampled, so that TINKER_API_KEY is not needed.`;

export const MODELS: HelpText = (program) => `Lists the models that can be trained.

  ${program} models

  --allow-host HOST  let the key go to https://HOST, where only a .env file or
                     a run folder leads; http://HOST: unencrypted

With TINKER_API_KEY in the environment or in a .env file of this folder, the list
is the service's own. Without a key it is the table of this program, with its
date; models that are retired are not in it.

"context" is in units of 1024 tokens; a second number is that of a variant that
costs more. "images" says whether the model reads them. "thinking" says whether
the model reasons before it answers, then what thinking.effort may be.`;

export const LSP: HelpText = (
  program,
) => `Helps with configurations in an editor, over the Language Server Protocol.

  ${program} lsp

  --stdio   standard input and output; the only transport, and the default

Marks mistakes while you type, completes keys and values, explains what is under
the pointer, offers fixes, and links environments and folders. A configuration is
a file named tinker-config.yaml or *.tinker.yaml, or one with the comment
# tinker-rl: config among its first five lines. Contacts no service.

Start it from your editor: docs/editors.md has settings for several.`;

export const SERVE: HelpText = (
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
