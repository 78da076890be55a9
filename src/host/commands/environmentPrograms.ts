/** *Play Environment…* and *Check Environment*: the program's own commands, in a terminal of the editor. */

import { join } from "node:path";
import * as vscode from "vscode";
import type { SplitChoice } from "../../core/config/taskChoices.ts";
import { runInTerminal } from "../task/programTask.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { askTaskNumber } from "./askChat.ts";
import { type ChooseConfigOptions, chooseConfig } from "./chooseConfig.ts";
import { chooseTasks } from "./chooseTasks.ts";
import { isSound } from "./startHandlers.ts";

export interface EnvironmentProgramsOptions extends ChooseConfigOptions {
  /** Where the program lies. */
  readonly programFolder: string;
}

export function environmentProgramHandlers(
  options: EnvironmentProgramsOptions,
): Pick<CommandHandlers, "playEnvironment" | "checkEnvironment"> {
  return {
    playEnvironment: async (target) => {
      const chosen = await choose(options, target, vscode.l10n.t("Play which environment?"));
      if (chosen === undefined) return;
      const { environment, split } = chosen;
      const task = await askTaskNumber(split, 0);
      if (task === null) return;
      const name = vscode.l10n.t("Play {0}", environment);
      const words = ["play", environment, "--split", split, "--task", String(task)];
      await run(options, chosen.config, name, words);
    },
    checkEnvironment: async (target) => {
      const chosen = await choose(options, target, vscode.l10n.t("Check which environment?"));
      if (chosen === undefined) return;
      const name = vscode.l10n.t("Check {0}", chosen.environment);
      await run(options, chosen.config, name, ["check", chosen.environment]);
    },
  };
}

interface Chosen extends SplitChoice {
  readonly config: vscode.Uri;
}

/** Of the row, or of a configuration; undefined when the user picks none. */
async function choose(
  options: EnvironmentProgramsOptions,
  target: unknown,
  question: string,
): Promise<Chosen | undefined> {
  const { name } = (target ?? {}) as { readonly name?: unknown }; // looked at in the next line
  const environment = typeof name === "string" ? name : null;
  const config = await chooseConfig(options, environment === null ? target : undefined);
  if (config === undefined || !(await isSound(config))) return undefined;
  // Without a row nothing has said which one is meant.
  const takesOnly = environment !== null;
  const tasks = await chooseTasks(config, question, { environment, takesOnly });
  return tasks === undefined ? undefined : { ...tasks, config };
}

async function run(
  { programFolder }: EnvironmentProgramsOptions,
  config: vscode.Uri,
  name: string,
  words: readonly string[],
): Promise<void> {
  const folder = vscode.workspace.getWorkspaceFolder(config);
  const uri = vscode.Uri.joinPath(config, "..");
  const cwd = { uri, name: folder?.name ?? "", index: folder?.index ?? 0 };
  const program = [process.execPath, join(programFolder, "tinker-rl.js")] as const;
  // The editor's own program behaves as Node only with it.
  const env = { ELECTRON_RUN_AS_NODE: "1" };
  await runInTerminal([...program, "env", ...words, "-c", config.fsPath], {
    name,
    cwd,
    env,
    isEchoed: false,
  });
}
