/** Offers the configurations of the workspace where a task in `tasks.json` names one; the editor's schemas know the rest. */

import * as vscode from "vscode";
import { TASK_TYPE } from "../manifest/taskType.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { findConfigs } from "./findConfigs.ts";
import { rangeOf } from "./textEdits.ts";
import { withFallback } from "./withFallback.ts";

export const TASKS_FILE: vscode.DocumentFilter = { pattern: "**/.vscode/tasks.json" };

export class TaskCompletionProvider implements vscode.CompletionItemProvider {
  readonly #options: SharedOptions;

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  async provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.CompletionItem[]> {
    return withFallback(this.#options.log, "completion of a task", [], async () => {
      const { taskConfigAt } = await this.#options.support();
      const offset = document.offsetAt(position);
      const span = taskConfigAt(document.getText(), offset, TASK_TYPE);
      // Looked for here, because somebody may write a task before anything else of the extension is loaded.
      const configs = span === null ? [] : await findConfigs();
      return configs.map((uri) => {
        const path = vscode.workspace.asRelativePath(uri, false);
        const item = new vscode.CompletionItem(path, vscode.CompletionItemKind.File);
        // In front of the variables of tasks, which begin with "$".
        item.sortText = `!${path}`;
        if (span !== null) item.range = rangeOf(document, span);
        return item;
      });
    });
  }
}
