/** Applies edits from the core to a document as one undoable change. */

import * as vscode from "vscode";
import type { TextEdit } from "../../core/config/editing/text/textEdit.ts";
import type { Span } from "../../core/config/source/span.ts";

export function rangeOf(document: vscode.TextDocument, { start, end }: Span): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}

/** The edits for the document's current text. */
export function workspaceEdit(
  document: vscode.TextDocument,
  edits: readonly TextEdit[],
): vscode.WorkspaceEdit {
  const change = new vscode.WorkspaceEdit();
  for (const { span, text } of edits) change.replace(document.uri, rangeOf(document, span), text);
  return change;
}

/** @throws Error if the document cannot be changed, or `edits` is null because the text has no place for them */
export async function applyTextEdits(
  document: vscode.TextDocument,
  edits: readonly TextEdit[] | null,
): Promise<void> {
  if (edits !== null && (await vscode.workspace.applyEdit(workspaceEdit(document, edits)))) return;
  throw new Error(
    vscode.l10n.t(
      "{0} could not be changed. Fix its errors, or make the change by hand.",
      document.fileName,
    ),
  );
}
