/** Training, evaluation, dry runs and validation as VS Code tasks: commands, `tasks.json` and *Run Task* all use them. */

import { isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { lastOfEach } from "../../core/config/overrideWords.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { describeProblem } from "../../core/config/source/problem.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { readPlainText } from "../../node/readPlainText.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import { TASK_SOURCE, TASK_TYPE } from "../manifest/taskType.ts";
import type { SweepTrainingRequest } from "../runs/sweepTraining.ts";
import type { Training, TrainingRequest } from "../runs/trainings.ts";
import { settingOverrides } from "../vscode/settings.ts";
import { RunTerminal } from "./runTerminal.ts";
import {
  gridTexts,
  insteadOfTraining,
  overrideTexts,
  readTrainTask,
  resumedFolder,
  TASK_ACTIONS,
  type TrainTask,
} from "./trainTask.ts";

export interface TaskProviderOptions {
  /** The workspace's configurations, limited to what a list can show. */
  readonly configs: () => Promise<readonly vscode.Uri[]>;
  readonly openTraining: (request: TrainingRequest) => Training;
  /** Joins the trainer of a launch; null if nothing is known about it anymore. */
  readonly joinTraining: (
    launch: string,
    of: Pick<TrainingRequest, "title" | "project">,
  ) => Promise<Training | null>;
  readonly openSweep: (request: SweepTrainingRequest) => Training;
  /** Whether starting the configuration trains several stages. */
  readonly hasStages: (configPath: string, overrides: readonly string[]) => Promise<boolean>;
}

export class TaskProvider implements vscode.TaskProvider {
  readonly #options: TaskProviderOptions;

  constructor(options: TaskProviderOptions) {
    this.#options = options;
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const configs = await this.#options.configs();
    return configs.flatMap((uri) => {
      const config = vscode.workspace.asRelativePath(uri, false);
      const scope = vscode.workspace.getWorkspaceFolder(uri);
      return TASK_ACTIONS.map((action) => this.#task({ type: TASK_TYPE, config, action }, scope));
    });
  }

  resolveTask(task: vscode.Task): vscode.Task {
    const scope = typeof task.scope === "object" ? task.scope : undefined;
    return this.#task(task.definition, scope, task.name);
  }

  /** The training task. */
  training(
    definition: Partial<TrainTask> & Pick<TrainTask, "config">,
    folder: vscode.WorkspaceFolder | undefined,
    title?: string,
  ): vscode.Task {
    const whole = { type: TASK_TYPE, action: "train", ...definition };
    return this.#task(unlikeRunning(whole), folder, title);
  }

  /** The task of a start command, named by its file's path in the workspace. */
  taskOf(config: vscode.Uri, more: Partial<TrainTask> = {}, title?: string): vscode.Task {
    const place = vscode.workspace.getWorkspaceFolder(config);
    const path = vscode.workspace.asRelativePath(config, false);
    return this.training({ config: path, ...more }, place, title);
  }

  #task(
    definition: vscode.TaskDefinition,
    folder: vscode.WorkspaceFolder | undefined,
    title?: string,
  ): vscode.Task {
    const read = readTrainTask(definition);
    const name =
      title ?? (typeof read === "string" ? TASK_TYPE : `${read.action} ${shown(read.config)}`);
    const isTraining = typeof read !== "string" && read.action === "train";
    const hasRun = isTraining || (typeof read !== "string" && read.action === "evaluate");
    const scope = folder ?? vscode.TaskScope.Workspace;
    const task = new vscode.Task(
      definition,
      scope,
      name,
      TASK_SOURCE,
      // Variables such as `${file}` are resolved only here.
      new vscode.CustomExecution((resolved) =>
        this.#terminal(readTrainTask(resolved), name, folder),
      ),
      isTraining ? "$tinker-rl" : "$tinker-rl-once",
    );
    // VS Code restarts background tasks after a reload; a training continues on its own and must not start twice.
    task.isBackground = false;
    task.presentationOptions = {
      // The dashboard shows the run and a notification its end; a panel would cover the dashboard.
      reveal: hasRun ? vscode.TaskRevealKind.Never : vscode.TaskRevealKind.Always,
      panel: vscode.TaskPanelKind.Dedicated,
      clear: true,
    };
    return task;
  }

  async #terminal(
    read: TrainTask | string,
    name: string,
    folder: vscode.WorkspaceFolder | undefined,
  ): Promise<vscode.Pseudoterminal> {
    const show = (): void => showTerminal(name);
    const title = inFolder(name, folder);
    if (typeof read === "string") return new RunTerminal(refusing(read), show);
    const configPath = absolute(read.config, folder);
    const project = projectOf(configPath, folder);
    if (read.attach !== undefined) {
      const joined = await this.#options.joinTraining(read.attach, { title, project });
      const gone = vscode.l10n.t("The run that this task showed ended long ago.");
      return new RunTerminal(joined ?? refusing(gone), show);
    }
    const own = overrideTexts(read);
    const ofSetting = addedOverrides(read, configPath);
    if (read.action === "validate") {
      const overrides = [...ofSetting, ...own];
      return new RunTerminal(printing((print) => validateConfigFile(configPath, overrides, print)));
    }
    const instead = insteadOfTraining(read);
    const overrides = lastOfEach([...ofSetting, ...own]);
    const isNew = instead === null && resumedFolder(read) === null;
    const isStaged = isNew && (await this.#options.hasStages(configPath, overrides));
    const grid = instead === null ? gridTexts(read) : null;
    if (grid !== null || isStaged) {
      const sweep = {
        configPath,
        title,
        grid: grid ?? [],
        project,
        overrides,
        parallel: read.parallel ?? 1,
        halve: read.halve ?? null,
        retriesFailed: read.retryFailed === true,
      };
      return new RunTerminal(this.#options.openSweep(sweep), show);
    }
    const resume = resumedFolder(read);
    const request = {
      configPath,
      title,
      overrides: own,
      project,
      // A resumed run keeps its settings, so only new overrides are passed.
      settingOverrides: resume === null ? ofSetting : [],
      resume: resume === null ? null : absolute(resume, folder),
      instead: instead ?? undefined,
    };
    return new RunTerminal(this.#options.openTraining(request), show);
  }
}

/** The overrides of the setting, except for a continued sweep: what they were when it began is among its own. */
function addedOverrides({ sweep }: TrainTask, configPath: string): readonly string[] {
  return sweep === undefined ? settingOverrides(vscode.Uri.file(configPath)) : [];
}

/** Makes a definition unique, because VS Code treats equal ones as the same task and would ask which of them to stop. */
function unlikeRunning(definition: vscode.TaskDefinition): vscode.TaskDefinition {
  const running = vscode.tasks.taskExecutions.map(({ task }) => task.definition);
  const isRunning = (wanted: vscode.TaskDefinition): boolean =>
    running.some((each) => isDeepStrictEqual({ ...each }, wanted));
  let distinct = definition;
  for (let instance = 2; isRunning(distinct); instance += 1) distinct = { ...definition, instance };
  return distinct;
}

function refusing(why: string): Training {
  return printing(async (print) => {
    print(`${vscode.l10n.t("error:")} ${why}\n`);
    return EXIT.invalid;
  });
}

/** A training that only prints, and ends with the exit code of `work`. */
function printing(work: (print: (text: string) => void) => Promise<number>): Training {
  return {
    follow: async ({ print }) => ({ exitCode: await work(print), error: null, folder: null }),
    send: async () => "",
    detached: () => undefined,
  };
}

function absolute(path: string, folder: vscode.WorkspaceFolder | undefined): string {
  if (isAbsolute(path)) return path;
  const base = folder ?? vscode.workspace.workspaceFolders?.[0];
  return base === undefined ? path : join(base.uri.fsPath, path);
}

/**
 * The folder for a task: its own, or else its configuration's, or else the first in the workspace. One folder's task may use another's
 * configuration.
 */
function projectOf(configPath: string, folder: vscode.WorkspaceFolder | undefined): string | null {
  const own = folder ?? vscode.workspace.getWorkspaceFolder(vscode.Uri.file(configPath));
  const place = own ?? vscode.workspace.workspaceFolders?.[0];
  return place?.uri.fsPath ?? null;
}

function shown(config: string): string {
  return isAbsolute(config) ? vscode.workspace.asRelativePath(config, false) : config;
}

/** The title of a training: with its folder where a window has several. */
function inFolder(name: string, folder: vscode.WorkspaceFolder | undefined): string {
  const hasSeveral = (vscode.workspace.workspaceFolders ?? []).length > 1;
  return hasSeveral && folder !== undefined ? `${name} (${folder.name})` : name;
}

/** The name of a task, from its training's title. */
export function taskName(title: string, folder: vscode.WorkspaceFolder | undefined): string {
  const end = folder === undefined ? "" : ` (${folder.name})`;
  return title.endsWith(end) ? title.slice(0, title.length - end.length) : title;
}

/** Also matches names with a folder, which VS Code appends in a multi-root workspace, even with a single folder. */
function showTerminal(task: string): void {
  const own = vscode.window.terminals.findLast(
    ({ name }) => name === task || name.startsWith(`${task} (`),
  );
  own?.show(true);
}

/** Prints one line per finding; resolves with the exit code. */
export async function validateConfigFile(
  configPath: string,
  overrides: readonly string[],
  print: (text: string) => void,
): Promise<number> {
  const text = await readPlainText(configPath, MAX_BYTES.config);
  if (text === null) {
    const missing = l10n.t(
      "the configuration file does not exist or is too large. Check the path in the task.",
    );
    print(`${configPath}: ${l10n.t("error:")} ${missing}\n`);
    return EXIT.invalid;
  }
  const result = parseConfig(text, { path: configPath, overrides });
  const findings = result.ok ? result.warnings : result.problems;
  for (const problem of findings) print(`${describeProblem(problem, configPath)}\n`);
  if (result.ok) print(`${l10n.t("{0} is valid", configPath)}\n`);
  return result.ok ? EXIT.done : EXIT.invalid;
}
