/** Folders on this computer: shows one to the user, or asks for one. */

import * as vscode from "vscode";

/** In the Explorer if it is in the workspace; otherwise in the system's file manager, or, if remote, in a new window. */
export async function showFolder(uri: vscode.Uri): Promise<void> {
  const { executeCommand } = vscode.commands;
  if (vscode.workspace.getWorkspaceFolder(uri) !== undefined) {
    await executeCommand("revealInExplorer", uri);
  } else if (isRemoteWindow()) {
    await executeCommand("vscode.openFolder", uri, { forceNewWindow: true });
  } else await executeCommand("revealFileInOS", uri);
}

/** True if the system that draws the window does not have its files, so there is no file manager and no trash. */
export function isRemoteWindow(): boolean {
  const { remoteName, uiKind } = vscode.env;
  return remoteName !== undefined || uiKind === vscode.UIKind.Web;
}

/** Undefined if the user dismissed the dialog. The texts must be this program's own. */
export async function askForFolder(
  words: Pick<vscode.OpenDialogOptions, "title" | "openLabel">,
): Promise<vscode.Uri | undefined> {
  const kind = { canSelectFiles: false, canSelectFolders: true, canSelectMany: false };
  const [folder] = (await vscode.window.showOpenDialog({ ...kind, ...words })) ?? [];
  return folder;
}
