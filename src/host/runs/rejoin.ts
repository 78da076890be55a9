/** Finds trainings that an earlier window of this workspace has started, and gives each a terminal again. */

import * as vscode from "vscode";
import { ControlClient } from "../../node/controlClient.ts";
import type { RunStatus } from "../../shared/control.ts";
import type { TaskProvider } from "../task/taskProvider.ts";
import { TASK_TYPE } from "../task/taskType.ts";
import type { KnownLaunch, LaunchStore } from "./launchStore.ts";

export interface RejoinParts {
  readonly launches: LaunchStore;
  readonly tasks: TaskProvider;
  readonly log: vscode.LogOutputChannel;
}

/** A training that another window follows keeps its terminal there; here it is in the views all the same. */
export async function rejoinLaunches({ launches, tasks, log }: RejoinParts): Promise<void> {
  const known = await launches.list();
  const own = known.filter(({ request, isAlive }) => isAlive && isOurs(request.configPath));
  for (const launch of own) {
    const status = await ask(launch);
    if (status === null || status.attached > 0) continue;
    log.info(`joining ${launch.request.title} again`);
    closeDeadTerminal(launch.request.title);
    await vscode.tasks.executeTask(
      tasks.training(definitionOf(launch), folderOf(launch), launch.request.title),
    );
  }
}

function isOurs(configPath: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(configPath)) !== undefined;
}

function folderOf({ request }: KnownLaunch): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(request.configPath));
}

function definitionOf({ folder, request }: KnownLaunch) {
  return { type: TASK_TYPE, config: request.configPath, attach: folder } as const;
}

/** Null when nobody answers: the process is gone, or another one has its number. */
async function ask({ file }: KnownLaunch): Promise<RunStatus | null> {
  if (file?.control == null) return null;
  try {
    const client = await ControlClient.open(file.control);
    try {
      return (await client.send({ action: "status" })).status;
    } finally {
      client.close();
    }
  } catch {
    return null;
  }
}

/** A reload leaves the terminal of a task behind, frozen (VS Code, issue 266487). */
function closeDeadTerminal(title: string): void {
  for (const terminal of vscode.window.terminals) {
    if (terminal.name === title || terminal.name.endsWith(` - ${title}`)) terminal.dispose();
  }
}
