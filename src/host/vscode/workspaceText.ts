/** Reads a workspace's text files, local or remote; null if it is not a regular file or too large. */

import * as vscode from "vscode";
import { readPlainText } from "../../node/plainText.ts";

export async function readWorkspaceText(uri: vscode.Uri, maxBytes: number): Promise<string | null> {
  if (uri.scheme === "file") return readPlainText(uri.fsPath, maxBytes);
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > maxBytes) return null;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return null;
  }
}
