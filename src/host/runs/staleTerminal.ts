/** Distinguishes a dead terminal left behind by an earlier window from a shell with the same name. */

import { setTimeout as sleep } from "node:timers/promises";
import type * as vscode from "vscode";

/** A shell reports its process within this time. */
const PROCESS_MS = 1_000;

/** True for a terminal named `title`, as VS Code names those of tasks, without a shell or process behind it. */
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
