/** Whether a path is in one of the window's folders. */

import * as vscode from "vscode";
import { isWithin } from "../../node/confinement.ts";
import { realFolder } from "../../node/realFolder.ts";

export function isInWorkspace(path: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) !== undefined;
}

/** The name of the window's folder that contains a path, if the window has several; otherwise null. */
export function workspaceFolderOf(path: string): string | null {
  if ((vscode.workspace.workspaceFolders ?? []).length < 2) return null;
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path))?.name ?? null;
}

/** Like {@link isInWorkspace}, with links resolved; a path that does not exist is used as it is. */
export async function isReallyInWorkspace(path: string): Promise<boolean> {
  if (!isInWorkspace(path)) return false;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const roots = await Promise.all(folders.map(({ uri }) => realFolder(uri.fsPath)));
  const real = await realFolder(path);
  return roots.some((root) => isWithin(real, root));
}
