/** Asks for a folder on this computer. */

import * as vscode from "vscode";

/** Undefined if the user dismissed the dialog. The texts must be this program's own. */
export async function askForFolder(
  words: Pick<vscode.OpenDialogOptions, "title" | "openLabel">,
): Promise<vscode.Uri | undefined> {
  const kind = { canSelectFiles: false, canSelectFolders: true, canSelectMany: false };
  const [folder] = (await vscode.window.showOpenDialog({ ...kind, ...words })) ?? [];
  return folder;
}
