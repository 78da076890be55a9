/** Help for configurations in any editor that speaks the Language Server Protocol (https://microsoft.github.io/language-server-protocol). */

import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  CompletionItemTag,
  type Connection,
  type Diagnostic,
  DiagnosticSeverity,
  DiagnosticTag,
  type DocumentLink,
  type InitializeParams,
  InsertTextFormat,
  MarkupKind,
  type Range,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Catalogue, EMPTY_CATALOGUE } from "../core/config/editing/catalogue/catalogue.ts";
import {
  EMBEDDED_ENVIRONMENTS,
  EMBEDDED_MODELS,
} from "../core/config/editing/catalogue/embedded.ts";
import { complete } from "../core/config/editing/completion/complete.ts";
import type { Completion, CompletionKind } from "../core/config/editing/completion/completion.ts";
import {
  type DiagnoseOptions,
  type Diagnosis,
  diagnose,
} from "../core/config/editing/diagnostics/diagnose.ts";
import { hover } from "../core/config/editing/display/hover.ts";
import { type LinkTarget, links } from "../core/config/editing/display/links.ts";
import { fixAll, fixesAt } from "../core/config/editing/fixes/fixes.ts";
import type { TextEdit as OffsetEdit } from "../core/config/editing/text/textEdit.ts";
import type { Span } from "../core/config/source/span.ts";
import { CONFIG_NAMES, isConfigName, saysConfig } from "../shared/configNames.ts";
import { plainSnippet } from "./plainSnippet.ts";

/** Typing goes on while a text is checked: only one that rests is. */
const SETTLE_MS = 150;
const SOURCE = "Tinker RL";
const FIX_ALL = `${CodeActionKind.SourceFixAll}.tinkerRL`;
const TRIGGERS = [":", " ", '"', "/", "-", "[", "{", ","];
const SEVERITIES: Readonly<Record<Diagnosis["severity"], DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};
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
/** What this machine runs itself. */
const CATALOGUE: Catalogue = {
  ...EMPTY_CATALOGUE,
  local: {
    environments: { items: EMBEDDED_ENVIRONMENTS, ageMs: 0, isComplete: true, server: null },
    models: { items: EMBEDDED_MODELS, ageMs: 0, isComplete: true, server: null },
    checkpoints: null,
  },
};

/** Answers until the connection ends. Needs no service and no key. */
export function serveLanguage(connection: Connection, version: string): void {
  const documents = new TextDocuments(TextDocument);
  const timers = new Map<string, NodeJS.Timeout>();
  let client: InitializeParams | null = null;

  const optionsFor = ({ uri }: TextDocument) =>
    ({
      path: pathOf(uri),
      overrides: [],
      catalogue: CATALOGUE,
      folders: {
        workspace: (client?.workspaceFolders ?? []).map((folder) => pathOf(folder.uri)),
        home: homedir(),
      },
    }) satisfies DiagnoseOptions;
  const configAt = (uri: string): TextDocument | null => {
    const document = documents.get(uri);
    if (document === undefined) return null;
    const isNamed = isConfigName(new URL(uri).pathname, CONFIG_NAMES);
    return isNamed || saysConfig(document.getText().split("\n", 5)) ? document : null;
  };
  const check = (uri: string): void => {
    const document = configAt(uri);
    if (document === null) return;
    const found = diagnose(document.getText(), optionsFor(document));
    void connection.sendDiagnostics({
      uri,
      version: document.version,
      diagnostics: found.map((each) => asDiagnostic(document, each)),
    });
  };

  connection.onInitialize((params) => {
    client = params;
    return {
      serverInfo: { name: "tinker-rl", version },
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: TRIGGERS },
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, FIX_ALL] },
        documentLinkProvider: {},
      },
    };
  });
  documents.onDidChangeContent(({ document: { uri } }) => {
    clearTimeout(timers.get(uri));
    timers.set(
      uri,
      setTimeout(() => check(uri), SETTLE_MS),
    );
  });
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(timers.get(uri));
    timers.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  connection.onCompletion(({ textDocument, position }) => {
    const document = configAt(textDocument.uri);
    if (document === null) return [];
    const { path, catalogue } = optionsFor(document);
    const takesSnippets =
      client?.capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
    return complete(document.getText(), document.offsetAt(position), { path, catalogue }).map(
      (each) => asItem(document, each, takesSnippets),
    );
  });
  connection.onHover(({ textDocument, position }) => {
    const document = configAt(textDocument.uri);
    if (document === null) return null;
    const found = hover(document.getText(), document.offsetAt(position), optionsFor(document));
    if (found === null) return null;
    const contents = { kind: MarkupKind.Markdown, value: found.markdown };
    return { contents, range: rangeOf(document, found.span) };
  });
  connection.onCodeAction(({ textDocument: { uri }, range, context }) => {
    const document = configAt(uri);
    if (document === null) return [];
    const text = document.getText();
    if (context.only?.some((kind) => kind !== "" && FIX_ALL.startsWith(kind))) {
      const edits = fixAll(text, optionsFor(document));
      const edit = { changes: { [uri]: asEdits(document, edits) } };
      return edits.length === 0 ? [] : [{ title: "Fix notation", kind: FIX_ALL, edit }];
    }
    const place = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    return (
      fixesAt(text, place, optionsFor(document))
        // The others need a command of the editor.
        .filter(({ command }) => command === null)
        .map(({ title, isPreferred, edits, diagnosis }) => ({
          title,
          kind: CodeActionKind.QuickFix,
          isPreferred,
          diagnostics: [asDiagnostic(document, diagnosis)],
          edit: { changes: { [uri]: asEdits(document, edits) } },
        }))
    );
  });
  connection.onDocumentLinks(({ textDocument: { uri } }): DocumentLink[] => {
    const document = configAt(uri);
    if (document === null) return [];
    return links(document.getText(), optionsFor(document)).flatMap(({ span, target }) => {
      const address = addressOf(uri, target);
      return address === null ? [] : [{ range: rangeOf(document, span), target: address }];
    });
  });
  documents.listen(connection);
  connection.listen();
}

/** The path of a file, or what stands in its place in another address. */
function pathOf(uri: string): string {
  return uri.startsWith("file:") ? fileURLToPath(uri) : new URL(uri).pathname;
}

function rangeOf(document: TextDocument, { start, end }: Span): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

function asEdits(document: TextDocument, edits: readonly OffsetEdit[]): TextEdit[] {
  return edits.map(({ span, text }) => ({ range: rangeOf(document, span), newText: text }));
}

function asDiagnostic(document: TextDocument, found: Diagnosis): Diagnostic {
  const { span, message, severity, code, tag, related } = found;
  const { uri } = document;
  return {
    range: rangeOf(document, span),
    message,
    severity: SEVERITIES[severity],
    code,
    source: SOURCE,
    tags: [
      ...(tag === "unnecessary" ? [DiagnosticTag.Unnecessary] : []),
      ...(tag === "deprecated" ? [DiagnosticTag.Deprecated] : []),
    ],
    relatedInformation: related.map(({ path, span: place }) => ({
      location: { uri, range: rangeOf(document, place) },
      message: `see ${path.at(-1) ?? ""}`,
    })),
  };
}

function asItem(document: TextDocument, found: Completion, takesSnippets: boolean): CompletionItem {
  const { label, detail, documentation, snippet, replace, filter, sort } = found;
  return {
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
}

/** Null for what only an editor with views of its own can show. */
function addressOf(config: string, target: LinkTarget): string | null {
  if (target.kind === "page") return target.url;
  if (target.kind !== "folder" || !config.startsWith("file:")) return null;
  return pathToFileURL(resolve(dirname(pathOf(config)), target.path)).href;
}
