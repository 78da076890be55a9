/** The `.env` files of the workspace, found and edited through the editor. */

import { dirname, isAbsolute, resolve } from "node:path";
import * as vscode from "vscode";
import { COMMENT, placesToComment } from "./envFile.ts";
import type { EnvFiles } from "./importEnv.ts";

const MAX_FILES = 20;

/** `nameFor` is the setting `env.file` for a folder. */
export function workspaceEnvFiles(nameFor: (folder: vscode.Uri) => string): EnvFiles & {
  /** The file of a folder when there is one. */
  readonly inFolder: (folder: string) => Promise<string | null>;
} {
  async function inFolder(folder: string): Promise<string | null> {
    const path = resolve(folder, nameFor(vscode.Uri.file(folder)));
    return (await isFile(path)) ? path : null;
  }

  return {
    inFolder,
    list: async (target) => {
      const beside = folderOf(target) ?? folderOf(vscode.window.activeTextEditor?.document.uri);
      const first = beside === null ? null : await inFolder(beside);
      const folders = vscode.workspace.workspaceFolders ?? [];
      const others = await Promise.all(folders.map(({ uri }) => filesUnder(uri, nameFor(uri))));
      return [...new Set([...(first === null ? [] : [first]), ...others.flat()])];
    },
    read: async (path) => {
      try {
        const bytes = await vscode.workspace.fs.readFile(vscode.Uri.file(path));
        return new TextDecoder().decode(bytes);
      } catch {
        // Gone, or not ours to read: as good as empty.
        return null;
      }
    },
    commentOut,
  };
}

async function filesUnder(folder: vscode.Uri, name: string): Promise<readonly string[]> {
  if (isAbsolute(name)) return (await isFile(name)) ? [name] : [];
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
  // What the user was about to change stays theirs to save.
  return wasDirty || (await document.save());
}

async function isFile(path: string): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(vscode.Uri.file(path));
    return (type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

function folderOf(target: unknown): string | null {
  return target instanceof vscode.Uri && target.scheme === "file" ? dirname(target.fsPath) : null;
}
