/** The one dialog for a folder of this computer. */

import * as vscode from "vscode";

/** Undefined when the user went away. The texts are this program's own words. */
export async function askForFolder(
  words: Pick<vscode.OpenDialogOptions, "title" | "openLabel">,
): Promise<vscode.Uri | undefined> {
  const kind = { canSelectFiles: false, canSelectFolders: true, canSelectMany: false };
  const [folder] = (await vscode.window.showOpenDialog({ ...kind, ...words })) ?? [];
  return folder;
}
