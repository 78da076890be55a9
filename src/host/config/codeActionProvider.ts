/** Offers the quick fixes of a diagnostic, and the action that applies all fixes of notation at once. */

import * as vscode from "vscode";
import type { Fix } from "../../core/config/editing/fixes/fix.ts";
import { isConfigDocument } from "./configFiles.ts";
import type { SharedOptions } from "./configSupportOptions.ts";
import { diagnoseOptions } from "./diagnoseOptions.ts";
import { remedyCommand } from "./remedyCommands.ts";
import { rangeOf, workspaceEdit } from "./textEdits.ts";
import { withFallback } from "./withFallback.ts";

export const FIX_ALL = vscode.CodeActionKind.SourceFixAll.append("tinkerRL");

export class CodeActionProvider implements vscode.CodeActionProvider {
  readonly #options: SharedOptions;

  constructor(options: SharedOptions) {
    this.#options = options;
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    if (!isConfigDocument(document)) return [];
    return withFallback(this.#options.log, "quick fixes", [], async () => {
      if (context.only?.intersects(FIX_ALL)) return this.#fixAll(document);
      if (context.only !== undefined && !context.only.intersects(vscode.CodeActionKind.QuickFix)) {
        return [];
      }
      const { fixesAt } = await this.#options.support();
      const place = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
      const options = diagnoseOptions(document, this.#options);
      return fixesAt(document.getText(), place, options).map((fix) =>
        asAction(document, fix, context.diagnostics),
      );
    });
  }

  async #fixAll(document: vscode.TextDocument): Promise<vscode.CodeAction[]> {
    const { fixAll } = await this.#options.support();
    const edits = fixAll(document.getText(), diagnoseOptions(document, this.#options));
    if (edits.length === 0) return [];
    const action = new vscode.CodeAction(vscode.l10n.t("Fix notation"), FIX_ALL);
    action.edit = workspaceEdit(document, edits);
    return [action];
  }
}

function asAction(
  document: vscode.TextDocument,
  { title, isPreferred, edits, command, diagnosis }: Fix,
  marks: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  const range = rangeOf(document, diagnosis.span);
  action.isPreferred = isPreferred;
  action.diagnostics = marks.filter(
    (mark) => mark.code === diagnosis.code && mark.range.isEqual(range),
  );
  if (command === null) action.edit = workspaceEdit(document, edits);
  else action.command = remedyCommand(document.uri, title, command);
  return action;
}
