/** Maintains the context key `tinkerRL.configFiles`, by which menus know configuration files. */

import * as vscode from "vscode";
import { setContextKey } from "../vscode/contextKeys.ts";
import { onSettingChange } from "../vscode/settings.ts";
import { FIRST_LINES, isConfigDocument } from "./configFiles.ts";

export class ConfigFilesKey implements vscode.Disposable {
  readonly #known: () => readonly vscode.Uri[];
  readonly #listeners: vscode.Disposable;
  #reported = "";

  /** `known` returns configurations that may not be open. */
  constructor(known: () => readonly vscode.Uri[]) {
    this.#known = known;
    const again = (): void => this.refresh();
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument(again),
      vscode.workspace.onDidCloseTextDocument(again),
      // An edit of the first lines can add or remove the modeline.
      vscode.workspace.onDidChangeTextDocument(({ contentChanges }) => {
        if (contentChanges.some(({ range }) => range.start.line < FIRST_LINES)) again();
      }),
      onSettingChange(["config.files"], again),
    );
    this.refresh();
  }

  dispose(): void {
    this.#listeners.dispose();
  }

  refresh(): void {
    const open = vscode.workspace.textDocuments.filter(isConfigDocument).map(({ uri }) => uri);
    const paths = [...new Set([...open, ...this.#known()].map(resourcePath))].sort();
    if (paths.join("\n") === this.#reported) return;
    this.#reported = paths.join("\n");
    void setContextKey("configFiles", paths);
  }
}

/** What menus compare with: full URIs differ between a window and its remote extension host. */
function resourcePath(uri: vscode.Uri): string {
  return uri.scheme === "file" ? uri.fsPath : uri.path;
}
