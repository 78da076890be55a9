/** *Play Environment…* in a tab, and *Check Environment* by the program's own command in a terminal. */

import { join } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import type { SplitChoice } from "../../core/config/taskChoices.ts";
import type { TaskDifficulty } from "../../core/openreward/catalogue.ts";
import { difficultyText } from "../../shared/difficultyText.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { EnvironmentLists } from "../catalogue/environmentLists.ts";
import type { PlayPanels } from "../play/playPanels.ts";
import type { EnvironmentChecks } from "../runs/environmentChecks.ts";
import type { OwnEnvironment, OwnServers } from "../runs/ownServers.ts";
import type { RunList } from "../runs/runList.ts";
import { runInTerminal } from "../task/programTask.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { askTaskNumber } from "./askChat.ts";
import { type ChosenTasks, chooseTasks, chosenTask } from "./chooseTasks.ts";
import { chooseValidConfig } from "./chooseValidConfig.ts";

export interface PlayAndCheckOptions {
  readonly store: RunList;
  /** Folder of the program. */
  readonly programFolder: string;
  readonly plays: Pick<PlayPanels, "open">;
  readonly checks: Pick<EnvironmentChecks, "begin">;
  readonly servers: Pick<OwnServers, "addressOf">;
  readonly catalogue: Pick<EnvironmentLists, "difficulty">;
}

export function playAndCheckHandlers(options: PlayAndCheckOptions) {
  return {
    playEnvironment: async (target) => {
      const chosen = await choose(options, target, vscode.l10n.t("Play which environment?"));
      if (chosen === undefined) return;
      const { environment, split } = chosen;
      const task = await askTask(split, chosen.isShared ? await known(options, chosen) : []);
      if (task === null) return;
      options.plays.open({ config: chosen.config.fsPath, environment, split, task });
    },
    playTask: async (target) => {
      const row = await chosenTask(target);
      if (row === undefined) return;
      const { config, name: environment, split, task } = row;
      options.plays.open({ config, environment, split, task });
    },
    checkEnvironment: async (target) => {
      const chosen = await choose(options, target, vscode.l10n.t("Check which environment?"));
      if (chosen === undefined) return;
      const name = vscode.l10n.t("Check {0}", chosen.environment);
      const own = { name: chosen.environment, config: chosen.config.fsPath };
      const check = await options.checks.begin(own);
      const words = ["check", own.name, "--output", check.file, ...onRunning(options, own)];
      const code = await run(options, chosen.config, name, words);
      if (code === EXIT.done || code === EXIT.invalid) await check.done();
    },
  } satisfies Partial<CommandHandlers>;
}

/** Overrides that make an environment use the server the window has started; empty if there is none. */
export function runningOverrides(
  servers: Pick<OwnServers, "addressOf">,
  environment: OwnEnvironment,
): readonly string[] {
  const address = servers.addressOf(environment);
  if (address === null) return [];
  const place = `environments.${environment.name}.server`;
  const starts = STARTS.map((key) => `${place}.${key}=null`);
  return [...starts, `${place}.url=${address}`];
}

/** The keys that start a server. */
const STARTS = ["command", "bridge", "id", "args", "python"];

/** Arguments that make a command use the server the window has started instead of starting another. */
function onRunning(
  { servers }: PlayAndCheckOptions,
  environment: OwnEnvironment,
): readonly string[] {
  const address = servers.addressOf(environment);
  if (address === null) return [];
  // The server already received the environment's secrets when it started.
  return ["--overrides", ...runningOverrides(servers, environment), "--allow-host", address];
}

function known({ catalogue }: PlayAndCheckOptions, { environment, split }: SplitChoice) {
  const options = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Asking…") };
  return plainWindow.withProgress(options, () => catalogue.difficulty(environment, split));
}

/** One of the tasks that others have played, or one by number; null if the user picks none. */
async function askTask(split: string, known: readonly TaskDifficulty[]): Promise<number | null> {
  if (known.length === 0) return await askTaskNumber(split, 0);
  const items = [
    { label: vscode.l10n.t("Another Task…"), task: null },
    ...known.map((each) => ({
      label: vscode.l10n.t("Task {0}", each.index),
      description: difficultyText(each),
      task: each.index,
    })),
  ];
  const placeHolder = vscode.l10n.t("Play which task of {0}?", split);
  const picked = await plainWindow.showQuickPick(items, { placeHolder, matchOnDescription: true });
  if (picked === undefined) return null;
  return picked.task ?? (await askTaskNumber(split, 0));
}

interface Chosen extends ChosenTasks {
  readonly config: vscode.Uri;
}

/** A row in the Environments view, or a lens's arguments; without a configuration if none uses the environment. */
const environmentRow = z.object({ name: z.string(), config: z.string().nullish().catch(null) });

/** From the row, or from a configuration; undefined if the user picks none. */
async function choose(
  options: PlayAndCheckOptions,
  target: unknown,
  question: string,
): Promise<Chosen | undefined> {
  const row = environmentRow.safeParse(target).data;
  const ofRow = row?.config == null ? undefined : vscode.Uri.file(row.config);
  const config = await chooseValidConfig(options.store, row === undefined ? target : ofRow);
  if (config === undefined) return undefined;
  // Without a row, nothing says which environment is meant.
  const choice = { environment: row?.name ?? null, takesOnly: row !== undefined };
  const tasks = await chooseTasks(config, question, choice);
  return tasks === undefined ? undefined : { ...tasks, config };
}

async function run(
  { programFolder }: PlayAndCheckOptions,
  config: vscode.Uri,
  name: string,
  words: readonly string[],
): Promise<number | null> {
  const folder = vscode.workspace.getWorkspaceFolder(config);
  const uri = vscode.Uri.joinPath(config, "..");
  const cwd = { uri, name: folder?.name ?? "", index: folder?.index ?? 0 };
  const program = [process.execPath, join(programFolder, "tinker-rl.js")] as const;
  // Makes Electron run as Node.
  const env = { ELECTRON_RUN_AS_NODE: "1" };
  return await runInTerminal([...program, "env", ...words, "-c", config.fsPath], {
    name,
    cwd,
    env,
    isEchoed: false,
    isPiped: process.platform === "win32",
  });
}
