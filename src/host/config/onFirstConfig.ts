/** Detects when a window first needs the configuration features. */

import * as vscode from "vscode";
import { isConfigDocument } from "./configFiles.ts";

/** Calls `then` once, as soon as a configuration is open or a document becomes one. */
export function onFirstConfig(then: () => void): vscode.Disposable {
  let isFound = false;
  const look = (document: vscode.TextDocument): void => {
    if (isFound || !isConfigDocument(document)) return;
    isFound = true;
    then();
  };
  vscode.workspace.textDocuments.forEach(look);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
  );
}
