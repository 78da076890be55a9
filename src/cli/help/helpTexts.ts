/** Help for all commands: what each does, an example, and where results go. */

import type { CommandName } from "../arguments/flags.ts";
import type { Invocation } from "../terminal/invocation.ts";
import type { Line } from "../terminal/line.ts";
import { ENV_HELP } from "./envHelp.ts";
import { PLANNING_HELP } from "./planningHelp.ts";
import { RESULTS_HELP } from "./resultsHelp.ts";
import { TRAINING_HELP } from "./trainingHelp.ts";

const general = (
  program: string,
): string => `Trains language-model agents with reinforcement learning.

  ${program} COMMAND

  train --config_path FILE   train a model as a configuration says
  resume RUN_FOLDER          resume a run from its last checkpoint
  evaluate MODEL …           compare checkpoints and the base model on tasks
  sweep --config_path FILE   train with each combination of several values
  control RUN_FOLDER ACTION  pause, continue, save, stop or change a running run
  estimate FILE              estimate tokens, cost and time of a run
  validate FILE              check a configuration without a service
  show-prompt FILE           show the first prompt of a task
  runs [FOLDER]              list runs: state, step, reward
  show RUN_FOLDER            inspect a run: steps, rollouts, turns, tokens
  search PATTERN [RUN …]     find words in the texts of rollouts
  report RUN_FOLDER …        write a report to read without this program
  export RUN_FOLDER …        write rollouts as a dataset
  collect MODEL              play training tasks, keep good rollouts as data
  chat CHECKPOINT|RUN_FOLDER|MODEL
                             chat with a model or checkpoint
  models                     list the models that can be trained
  checkpoints WORD …         list, download, share and delete saved weights
  env new NAME               write a new environment in Python
  env play NAME              be the model in one of its tasks
  env check NAME …           check whether environments are fit to train on
  serve                      serve the embedded services to other programs
  serve-model MODEL          serve weights over an OpenAI- and Anthropic-
                             compatible API
  view [FOLDER]              show runs in a browser, with the editor's pages
  mcp                        let an assistant read runs and plan them
  lsp                        help with configurations in any editor
  COMMAND --help             explain a command
  --version                  print the version

Try it without a key. This trains a small embedded model on this computer:

  ${program} train --config_path examples/local/tinker-config.yaml

Models and environments whose names begin with local/ run here. Other models
need TINKER_API_KEY; other environments need OPENREWARD_API_KEY, unless they
have their own server. Keys come from the environment or from a .env file
next to the configuration.

Exit codes: 0 done, 2 configuration or arguments invalid, 3 stopped by the user,
4 out of capacity or budget, 5 a service failed, 6 interrupted, 1 a fault of the
program or this computer, or one that no other code covers.`;

const TOPICS: Readonly<Record<CommandName, (program: string) => string>> = {
  ...TRAINING_HELP,
  ...PLANNING_HELP,
  ...RESULTS_HELP,
  ...ENV_HELP,
};

/** Help for a command, or for the program if `topic` is null; examples can be copied as they are. */
export function helpLines(topic: CommandName | null, { program }: Invocation): readonly Line[] {
  const text = topic === null ? general : TOPICS[topic];
  return text(program ?? "tinker-rl")
    .split("\n")
    .map((row) => [row]);
}
