/** Paths as people see them. */

import * as vscode from "vscode";
import { fromHome } from "../../node/fromHome.ts";

/** From the workspace where the path is in it, else from the home folder. */
export function shortenPath(path: string): string {
  const relative = vscode.workspace.asRelativePath(path, false);
  return relative === path ? fromHome(path) : relative;
}
