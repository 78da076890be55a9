/** Data for language model tools in the editor: the window's runs, and configurations with unsaved changes. */

import { relative } from "node:path";
import * as vscode from "vscode";
import type { FileSystem } from "../../core/ports.ts";
import type { ListedRun } from "../../core/runs/runList.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { RunTools } from "../../server/tools/runTools.ts";
import { settingOverrides } from "../vscode/settings.ts";

export interface ChatToolOptions {
  readonly store: { readonly runs: readonly ListedRun[] };
  readonly finder: { readonly configs: readonly vscode.Uri[] };
  readonly fileSystem: FileSystem;
  readonly redactor: Redactor;
  readonly now: () => number;
}

export function createChatTools({
  store,
  finder,
  fileSystem,
  redactor,
  now,
}: ChatToolOptions): RunTools {
  const sources = {
    runs: async () => store.runs,
    configs: async () => finder.configs.map(({ fsPath }) => fsPath),
    readConfig: async (path: string) => {
      const uri = vscode.Uri.file(path);
      const document = await vscode.workspace.openTextDocument(uri);
      return { text: document.getText(), overrides: settingOverrides(uri) };
    },
    nameOf,
    filesOf: (folder: string) => fileSystem.within(folder),
    now,
  };
  return new RunTools(sources, redactor);
}

/** The path relative to the workspace folder; outside of it, only the last two components, to hide the home folder. */
function nameOf(path: string): string {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
  const name = folder === undefined ? path.split(/[/\\]/).slice(-2).join("/") : "";
  return folder === undefined ? name : relative(folder.uri.fsPath, path).replaceAll("\\", "/");
}
