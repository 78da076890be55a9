/** Whether a name is free. */

import * as vscode from "vscode";

/** Also true for a link that leads nowhere, through which a write would make a file elsewhere. */
export function isThere(uri: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** As {@link isThere}, and for a document that is not saved yet. */
export async function isTaken(uri: vscode.Uri): Promise<boolean> {
  const isOpen = vscode.workspace.textDocuments.some((open) => open.uri.path === uri.path);
  return isOpen || (await isThere(uri));
}
