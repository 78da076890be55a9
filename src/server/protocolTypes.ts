/** Converts what the core finds in a configuration to Language Server Protocol types. */

import {
  type CodeAction,
  CodeActionKind,
  type CodeLens,
  type Command,
  type CompletionItem,
  CompletionItemKind,
  CompletionItemTag,
  type Diagnostic,
  DiagnosticSeverity,
  DiagnosticTag,
  InsertTextFormat,
  MarkupKind,
  type InlayHint as ProtocolHint,
  type Range,
  type TextEdit,
} from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { DIAGNOSTIC_SOURCE } from "../api/config.ts";
import type { Completion, CompletionKind } from "../core/config/editing/completion/completion.ts";
import type { Diagnosis } from "../core/config/editing/diagnostics/diagnose.ts";
import type { InlayHint } from "../core/config/editing/display/inlayHints.ts";
import type { Lens, LensAction } from "../core/config/editing/display/lenses.ts";
import type { Fix } from "../core/config/editing/fixes/fixes.ts";
import type { TextEdit as OffsetEdit } from "../core/config/editing/text/textEdit.ts";
import type { Span } from "../core/config/source/span.ts";
import { withoutUndefined } from "../shared/withoutUndefined.ts";

const SEVERITIES: Readonly<Record<Diagnosis["severity"], DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};
const TAGS = { unnecessary: DiagnosticTag.Unnecessary, deprecated: DiagnosticTag.Deprecated };
const KINDS: Readonly<Record<CompletionKind, CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  value: CompletionItemKind.Value,
  word: CompletionItemKind.EnumMember,
  environment: CompletionItemKind.Module,
  split: CompletionItemKind.Folder,
  model: CompletionItemKind.Class,
  checkpoint: CompletionItemKind.Reference,
  secret: CompletionItemKind.Variable,
  snippet: CompletionItemKind.Snippet,
};
const LENS_ICONS: Readonly<Partial<Record<LensAction, string>>> = {
  start: "play",
  startStage: "play",
  validate: "check",
  estimate: "graph",
  stop: "debug-stop",
  readExamples: "book",
  addDataSource: "add",
};

/** The data from which the editor builds a lens's command. */
export interface LensData extends Pick<Lens, "action" | "source" | "stage"> {
  /** Folder of the configuration's newest run; null if there is none. */
  readonly folder: string | null;
}

export function rangeOf(document: TextDocument, { start, end }: Span): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

export function asEdits(document: TextDocument, edits: readonly OffsetEdit[]): TextEdit[] {
  return edits.map(({ span, text }) => ({ range: rangeOf(document, span), newText: text }));
}

export function asDiagnostic(document: TextDocument, found: Diagnosis): Diagnostic {
  const { span, message, severity, code, tag, related } = found;
  const { uri } = document;
  return {
    range: rangeOf(document, span),
    message,
    severity: SEVERITIES[severity],
    code,
    source: DIAGNOSTIC_SOURCE,
    tags: tag === undefined ? [] : [TAGS[tag]],
    relatedInformation: related.map(({ path, span: place }) => ({
      location: { uri, range: rangeOf(document, place) },
      message: `see ${path.at(-1) ?? ""}`,
    })),
  };
}

/** `takesSnippets` and `suggestsAgain` are capabilities of the editor. */
export function asItem(
  document: TextDocument,
  found: Completion,
  { takesSnippets, suggestsAgain }: Readonly<Record<"takesSnippets" | "suggestsAgain", boolean>>,
): CompletionItem {
  const { label, detail, documentation, snippet, replace, filter, sort } = found;
  const item: CompletionItem = {
    label,
    detail,
    labelDetails: { description: detail },
    kind: KINDS[found.kind],
    documentation: { kind: MarkupKind.Markdown, value: documentation },
    insertTextFormat: takesSnippets ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: {
      range: rangeOf(document, replace),
      newText: takesSnippets ? snippet : plainSnippet(snippet),
    },
    filterText: filter,
    sortText: sort,
    tags: found.isDeprecated ? [CompletionItemTag.Deprecated] : [],
  };
  if (suggestsAgain && found.retrigger) {
    item.command = { command: "editor.action.triggerSuggest", title: "Suggest values" };
  }
  return item;
}

/** `command` is an editor command that replaces the edits. */
export function asAction(
  document: TextDocument,
  { title, isPreferred, edits, diagnosis }: Fix,
  command: Command | null,
): CodeAction {
  const action: CodeAction = {
    title,
    kind: CodeActionKind.QuickFix,
    isPreferred,
    diagnostics: [asDiagnostic(document, diagnosis)],
  };
  if (command === null) action.edit = { changes: { [document.uri]: asEdits(document, edits) } };
  else action.command = command;
  return action;
}

/** The editor builds the command from `data`, a {@link LensData}. */
export function asLens(document: TextDocument, lens: Lens, folder: string | null): CodeLens {
  const { span, title, action, source, stage } = lens;
  const data: LensData = { action, folder, ...withoutUndefined({ source, stage }) };
  const icon = LENS_ICONS[action];
  const shown = icon === undefined ? title : `$(${icon}) ${title}`;
  return {
    range: rangeOf(document, span),
    command: { title: shown, command: "" },
    data,
  };
}

/** Links to the run in `folder`. */
export function asHint(
  document: TextDocument,
  { offset, label, markdown }: InlayHint,
  folder: string,
): ProtocolHint {
  const command = {
    title: "Open the run",
    command: "tinkerRL.openDashboard",
    arguments: [{ folder }],
  };
  const tooltip = { kind: MarkupKind.Markdown, value: markdown };
  return {
    position: document.positionAt(offset),
    label: [{ value: label, tooltip, command }],
    paddingLeft: true,
  };
}

/**
 * A snippet for editors without snippet support: placeholders as plain text, no tab stops. `snippet` uses the syntax of editor snippets;
 * placeholders must not be nested.
 */
export function plainSnippet(snippet: string): string {
  return snippet.replace(
    /\\([\\$}|,])|\$\{\d+\|([^,|]*)[^}]*\|\}|\$\{\d+:((?:[^\\}]|\\.)*)\}|\$(?:\d+|\{\d+\})/g,
    (_, escaped?: string, choice?: string, text?: string) =>
      escaped ?? choice ?? text?.replace(/\\([\\$}])/g, "$1") ?? "",
  );
}
