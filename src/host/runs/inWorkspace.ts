/** Whether a path belongs to the folders of this window. */

import { realpath } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import * as vscode from "vscode";

export function isInWorkspace(path: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) !== undefined;
}

/** The name of the folder of this window that a path is in, where the window has several; null = none, or it has one only. */
export function workspaceFolderOf(path: string): string | null {
  if ((vscode.workspace.workspaceFolders ?? []).length < 2) return null;
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path))?.name ?? null;
}

/** As {@link isInWorkspace}, with links followed; what does not exist leads nowhere. */
export async function isReallyInWorkspace(path: string): Promise<boolean> {
  if (!isInWorkspace(path)) return false;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const roots = await Promise.all(folders.map(({ uri }) => realOf(uri.fsPath)));
  const real = await realOf(path);
  return roots.some((root) => {
    const way = relative(root, real);
    return !way.startsWith("..") && !isAbsolute(way);
  });
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}
