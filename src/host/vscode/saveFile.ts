/** Saves what a page exports, where the person says. */

import * as vscode from "vscode";
import type { ExportedFile } from "../../shared/dashboardMessages.ts";

export async function saveFile({ name, content, encoding }: ExportedFile): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog(
    folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) },
  );
  if (uri !== undefined) await vscode.workspace.fs.writeFile(uri, Buffer.from(content, encoding));
}
