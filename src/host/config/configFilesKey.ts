/** Maintains the context key `tinkerRL.configFiles`, by which menus know configuration files. */

import * as vscode from "vscode";
import { setContextKey } from "../vscode/contextKeys.ts";
import { onSettingChange } from "../vscode/settings.ts";
import { FIRST_LINES, isConfigDocument } from "./configFiles.ts";

/** `known` returns configurations that may not be open. Call `refresh` when they may have changed. */
export function configFilesKey(known: () => readonly vscode.Uri[]) {
  let reported = "";
  const refresh = (): void => {
    const open = vscode.workspace.textDocuments.filter(isConfigDocument).map(({ uri }) => uri);
    const paths = [...new Set([...open, ...known()].map(resourcePath))].sort();
    if (paths.join("\n") === reported) return;
    reported = paths.join("\n");
    void setContextKey("configFiles", paths);
  };
  const listeners = vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(refresh),
    vscode.workspace.onDidCloseTextDocument(refresh),
    // An edit of the first lines can add or remove the modeline.
    vscode.workspace.onDidChangeTextDocument(({ contentChanges }) => {
      if (contentChanges.some(({ range }) => range.start.line < FIRST_LINES)) refresh();
    }),
    onSettingChange(["config.files"], refresh),
  );
  refresh();
  return { refresh, dispose: (): void => listeners.dispose() };
}

/** What menus compare with: full URIs differ between a window and its remote extension host. */
function resourcePath(uri: vscode.Uri): string {
  return uri.scheme === "file" ? uri.fsPath : uri.path;
}
