/** Whether a path is in one of the window's folders. */

import * as vscode from "vscode";

export function isInWorkspace(path: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) !== undefined;
}

/** The name of the window's folder that contains a path, if the window has several; otherwise null. */
export function workspaceFolderOf(path: string): string | null {
  if ((vscode.workspace.workspaceFolders ?? []).length < 2) return null;
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path))?.name ?? null;
}
