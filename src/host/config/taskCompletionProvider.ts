/** Completes the workspace's configurations in tasks in `tasks.json`; the editor's schemas cover the rest. */

import * as vscode from "vscode";
import { errorMessage } from "../../core/errors.ts";
import { TASK_TYPE } from "../manifest/taskType.ts";
import { findConfigs } from "./configFiles.ts";
import { rangeOf } from "./textEdits.ts";

export const TASKS_FILE: vscode.DocumentFilter = { pattern: "**/.vscode/tasks.json" };

export function taskCompletionProvider(
  log: vscode.LogOutputChannel,
): vscode.CompletionItemProvider {
  return {
    provideCompletionItems: async (document, position) => {
      try {
        return await completions(document, document.offsetAt(position));
      } catch (error) {
        log.warn(`completion of a task failed: ${errorMessage(error)}`);
        return [];
      }
    },
  };
}

async function completions(
  document: vscode.TextDocument,
  offset: number,
): Promise<vscode.CompletionItem[]> {
  const { taskConfigAt } = await import("../../core/config/editing/completion/taskConfigAt.ts");
  const span = taskConfigAt(document.getText(), offset, TASK_TYPE);
  // Searched here, because someone may edit tasks before the rest of the extension is loaded.
  const configs = span === null ? [] : await findConfigs();
  return configs.map((uri) => {
    const path = vscode.workspace.asRelativePath(uri, false);
    const item = new vscode.CompletionItem(path, vscode.CompletionItemKind.File);
    // Sorts before task variables, which start with "$".
    item.sortText = `!${path}`;
    if (span !== null) item.range = rangeOf(document, span);
    return item;
  });
}
