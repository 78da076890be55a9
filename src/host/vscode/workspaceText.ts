/** Files of a workspace, local or remote. */

import * as vscode from "vscode";
import { readPlainText } from "../../node/readPlainText.ts";

/** The text of a file; null if it is not a regular file or too large. */
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

/** An unsaved document with the path where it will be saved. */
export async function unsavedDocument(uri: vscode.Uri, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri.with({ scheme: "untitled" }));
  const change = new vscode.WorkspaceEdit();
  const end = document.positionAt(document.getText().length);
  change.replace(document.uri, new vscode.Range(document.positionAt(0), end), text);
  await vscode.workspace.applyEdit(change);
  return document;
}

/** Null if it cannot be opened. */
export async function documentAt(uri: vscode.Uri): Promise<vscode.TextDocument | null> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return null;
  }
}
