/** True when a file belongs to the folders of this window. */

import * as vscode from "vscode";

export function isInWorkspace(path: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) !== undefined;
}
