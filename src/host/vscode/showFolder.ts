/** Shows a folder where its user can look into it. */

import * as vscode from "vscode";

/** In the Explorer when it lies in the workspace, else in the file manager of the system, or in a window of its own. */
export async function showFolder(uri: vscode.Uri): Promise<void> {
  const { executeCommand } = vscode.commands;
  if (vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
    await executeCommand("revealInExplorer", uri);
  } else if (isRemoteWindow()) {
    await executeCommand("vscode.openFolder", uri, { forceNewWindow: true });
  } else await executeCommand("revealFileInOS", uri);
}

/** True where the system that draws the window does not have the window's files: no file manager, and no trash. */
export function isRemoteWindow(): boolean {
  const { remoteName, uiKind } = vscode.env;
  return remoteName !== undefined || uiKind === vscode.UIKind.Web;
}
