/** Distinguishes a terminal that an earlier window has left behind, frozen, from a shell that has the same name. */

import { setTimeout as sleep } from "node:timers/promises";
import type * as vscode from "vscode";

/** A shell names its process sooner. */
const PROCESS_MS = 1_000;

/** True for a terminal called `title`, as VS Code names those of tasks, behind which there is neither a shell nor a process. */
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
