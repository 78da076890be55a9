/** The workspace's `.env` files, found and edited through the editor. */

import { dirname, isAbsolute, resolve } from "node:path";
import * as vscode from "vscode";
import { locateDotEnv, readDotEnv } from "../../node/dotEnv.ts";
import { readSetting } from "../vscode/settings.ts";
import { COMMENT, placesToComment } from "./envFile.ts";

const MAX_FILES = 20;

export type EnvFiles = typeof workspaceEnvFiles;

export const workspaceEnvFiles = {
  /** Real path of a folder's file; null if there is none. */
  inFolder: (folder: string): Promise<string | null> =>
    locateDotEnv(resolve(folder, readSetting("env.file", vscode.Uri.file(folder)))),
  /** Real paths of existing files; the one next to `target`, a configuration's URI, comes first. */
  list: async (target: unknown): Promise<readonly string[]> => {
    const beside = folderOf(target) ?? folderOf(vscode.window.activeTextEditor?.document.uri);
    const first = beside === null ? null : await workspaceEnvFiles.inFolder(beside);
    const folders = vscode.workspace.workspaceFolders ?? [];
    const others = await Promise.all(folders.map(({ uri }) => filesUnder(uri)));
    // Links are resolved, so that the user sees their targets.
    const real = await Promise.all(others.flat().map(locateDotEnv));
    return [...new Set([first, ...real])].filter((path) => path !== null);
  },
  /** Null if the file cannot be read. */
  read: readDotEnv,
  commentOut,
};

async function filesUnder(folder: vscode.Uri): Promise<readonly string[]> {
  const name = readSetting("env.file", folder);
  if (isAbsolute(name)) return [name];
  const pattern = new vscode.RelativePattern(folder, `**/${name}`);
  const found = await vscode.workspace.findFiles(pattern, "**/node_modules/**", MAX_FILES);
  return found.map(({ fsPath }) => fsPath).toSorted();
}

/** Inserts `# ` before the lines of `names` as an undoable edit; false if that is not possible. */
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
