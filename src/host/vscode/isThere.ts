/** Whether a file exists or a name is taken. */

import * as vscode from "vscode";

/** Also true for a dangling link, through which a write would create a file elsewhere. */
export function isThere(uri: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Like {@link isThere}, but also true for an unsaved document. */
export async function isTaken(uri: vscode.Uri): Promise<boolean> {
  const isOpen = vscode.workspace.textDocuments.some((open) => open.uri.path === uri.path);
  return isOpen || (await isThere(uri));
}
