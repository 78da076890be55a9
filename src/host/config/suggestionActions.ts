/** Quick fixes for suggestions from a run. */

import * as vscode from "vscode";
import type { AlarmEdit } from "../../core/alarms/alarmEdits.ts";
import { editsTitle } from "../../core/alarms/formatSettingChange.ts";
import { suggestionEdits } from "../../core/config/editing/edits/suggestion.ts";
import { groupBy } from "../../shared/groupBy.ts";
import { workspaceEdit } from "./textEdits.ts";

export interface Suggestion {
  readonly edits: readonly AlarmEdit[];
  /** The diagnostic that it belongs to. */
  readonly diagnostic: vscode.Diagnostic;
  /** The run's stage; absent = the stage that the document selects, if any. */
  readonly stage?: string | null;
}

/** One action per distinct suggestion; none if the file already contains it or has no place for it. */
export function suggestionActions(
  document: vscode.TextDocument,
  suggestions: readonly Suggestion[],
): vscode.CodeAction[] {
  const byTitle = groupBy(suggestions, ({ edits }) => editsTitle(edits));
  return [...byTitle].flatMap(([title, same]) => {
    const { edits = [], stage } = same[0] ?? {};
    const path = document.uri.fsPath;
    const changes = suggestionEdits(document.getText(), edits, { path, stage }) ?? [];
    if (changes.length === 0) return [];
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.edit = workspaceEdit(document, changes);
    action.diagnostics = same.map(({ diagnostic }) => diagnostic);
    return [action];
  });
}

/** Registers a provider of such quick fixes for all languages of configurations. */
export function offerSuggestions(provider: vscode.CodeActionProvider): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    ["yaml", "json", "jsonc"].map((language) => ({ language })),
    provider,
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}
