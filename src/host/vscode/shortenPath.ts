/** Paths as people see them. */

import { homedir } from "node:os";
import * as vscode from "vscode";

/** From the workspace where the path is in it, else from the home folder. */
export function shortenPath(path: string): string {
  const relative = vscode.workspace.asRelativePath(path, false);
  if (relative !== path) return relative;
  const home = homedir();
  return path.startsWith(home) ? `~${path.slice(home.length)}` : path;
}
