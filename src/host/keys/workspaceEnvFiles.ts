/** The workspace's `.env` files, found and edited through the editor. */

import { dirname, isAbsolute, resolve } from "node:path";
import * as vscode from "vscode";
import { locateDotEnv, readDotEnv } from "../../node/dotEnv.ts";
import { COMMENT, placesToComment } from "./envFile.ts";
import type { EnvFiles } from "./importEnv.ts";

const MAX_FILES = 20;

/** `nameFor` returns the setting `env.file` for a folder. */
export function workspaceEnvFiles(nameFor: (folder: vscode.Uri) => string): EnvFiles & {
  /** Real path of a folder's file; null if there is none. */
  readonly inFolder: (folder: string) => Promise<string | null>;
} {
  async function inFolder(folder: string): Promise<string | null> {
    return locateDotEnv(resolve(folder, nameFor(vscode.Uri.file(folder))));
  }

  return {
    inFolder,
    list: async (target) => {
      const beside = folderOf(target) ?? folderOf(vscode.window.activeTextEditor?.document.uri);
      const first = beside === null ? null : await inFolder(beside);
      const folders = vscode.workspace.workspaceFolders ?? [];
      const others = await Promise.all(folders.map(({ uri }) => filesUnder(uri, nameFor(uri))));
      // Links are resolved, so that the user sees their targets.
      const real = await Promise.all(others.flat().map(locateDotEnv));
      return [...new Set([first, ...real])].filter((path) => path !== null);
    },
    read: readDotEnv,
    commentOut,
  };
}

async function filesUnder(folder: vscode.Uri, name: string): Promise<readonly string[]> {
  if (isAbsolute(name)) return [name];
  const pattern = new vscode.RelativePattern(folder, `**/${name}`);
  const found = await vscode.workspace.findFiles(pattern, "**/node_modules/**", MAX_FILES);
  return found.map(({ fsPath }) => fsPath).toSorted();
}

async function commentOut(path: string, names: readonly string[]): Promise<boolean> {
  const uri = vscode.Uri.file(path);
  const document = await vscode.workspace.openTextDocument(uri);
  const places = placesToComment(document.getText(), names);
  if (places === null) return false;
  const wasDirty = document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  for (const place of places) edit.insert(uri, document.positionAt(place), COMMENT);
  if (!(await vscode.workspace.applyEdit(edit))) return false;
  // Do not save the user's own unsaved changes.
  return wasDirty || (await document.save());
}

function folderOf(target: unknown): string | null {
  return target instanceof vscode.Uri && target.scheme === "file" ? dirname(target.fsPath) : null;
}
