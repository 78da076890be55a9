/** Finds trainings started by an earlier window of this workspace, and opens a terminal for each. */

import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { ControlClient } from "../../node/control/client.ts";
import type { KnownLaunch, LaunchStore } from "../../node/launch/launchStore.ts";
import type { RunStatus } from "../../shared/control.ts";
import { TASK_TYPE } from "../manifest/taskType.ts";
import { isInWorkspace } from "../runs/inWorkspace.ts";
import { type TaskProvider, taskName } from "./taskProvider.ts";

export interface RejoinOptions {
  readonly launches: LaunchStore;
  readonly tasks: TaskProvider;
  /** True if this window is connected to the trainer with this process id. */
  readonly isAttached: (pid: number) => boolean;
  readonly log: vscode.LogOutputChannel;
}

/** Number of attempts: on a busy computer the previous window closes, and the trainer answers, only after many seconds. */
const TRIES = 30;
const PAUSE_MS = 1_000;

/** Skips trainings that another window follows: their terminal stays there, and this window's views show them anyway. */
export async function rejoinLaunches(options: RejoinOptions): Promise<void> {
  const known = await options.launches.list();
  const own = known.filter(
    ({ request, isAlive }) => isAlive && isInWorkspace(request.training.configPath),
  );
  await Promise.all(own.map((launch) => rejoin(launch, options)));
}

async function rejoin(
  launch: KnownLaunch,
  { tasks, isAttached, log }: RejoinOptions,
): Promise<void> {
  if (!(await isFree(launch, isAttached))) return;
  const { title } = launch.request;
  log.info(`joining ${title} again`);
  const folder = folderOf(launch);
  const name = taskName(title, folder);
  await closeDeadTerminals(name, folder);
  await vscode.tasks.executeTask(tasks.training(definitionOf(launch), folder, name));
}

/** True once the trainer answers that no other window is attached to it. */
async function isFree(
  launch: KnownLaunch,
  isAttached: RejoinOptions["isAttached"],
): Promise<boolean> {
  for (let left = TRIES; left > 0; left -= 1) {
    const status = await ask(launch);
    if (status !== null && status.attached <= (isAttached(status.pid) ? 1 : 0)) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

function folderOf({ request }: KnownLaunch): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(request.training.configPath));
}

function definitionOf({ folder, request }: KnownLaunch) {
  return {
    type: TASK_TYPE,
    config: request.training.configPath,
    attach: basename(folder),
  } as const;
}

/** Null if there is no answer. */
async function ask({ file }: KnownLaunch): Promise<RunStatus | null> {
  if (file?.control == null) return null;
  try {
    return (await ControlClient.sendOnce(file.control, { action: "status" })).status;
  } catch {
    return null;
  }
}

/** Closes frozen task terminals left behind by a reload (VS Code, issue 266487). */
async function closeDeadTerminals(
  task: string,
  folder: vscode.WorkspaceFolder | undefined,
): Promise<void> {
  // A multi-root workspace appends the folder, regardless of the number of folders.
  const names = folder === undefined ? [task] : [task, `${task} (${folder.name})`];
  for (const terminal of vscode.window.terminals) {
    const stale = names.map((name) => isStaleTerminal(terminal, name));
    if ((await Promise.all(stale)).includes(true)) terminal.dispose();
  }
}

/** A shell reports its process within this time. */
const PROCESS_MS = 1_000;

/** True for a terminal named `title`, as VS Code names those of tasks, without a process behind it: no shell of the same name. */
export async function isStaleTerminal(
  {
    name,
    creationOptions,
    processId,
  }: Pick<vscode.Terminal, "name" | "creationOptions" | "processId">,
  title: string,
): Promise<boolean> {
  if (name !== title && !name.endsWith(` - ${title}`)) return false;
  if ("shellPath" in creationOptions && creationOptions.shellPath !== undefined) return false;
  const pid = await Promise.race([processId, sleep(PROCESS_MS, undefined, { ref: false })]);
  return pid === undefined || pid < 0;
}
