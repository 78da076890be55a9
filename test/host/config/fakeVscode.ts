/** The part of VS Code that the help for configurations touches, in memory. */

import { fakeVscode } from "../keys/fakeVscode.ts";

type Listener = (event: unknown) => void;

class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(start: Position, end: Position) {
    this.start = start;
    this.end = end;
  }
  contains({ line }: Position): boolean {
    return line >= this.start.line && line <= this.end.line;
  }
  isEqual(other: Range): boolean {
    return JSON.stringify(this) === JSON.stringify(other);
  }
}

class Uri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
  constructor(scheme: string, path: string, query = "") {
    this.scheme = scheme;
    this.path = path;
    this.query = query;
  }
  static parse(text: string): Uri {
    const [, scheme = "", path = "", query = ""] =
      /^([\w-]+):(?:\/\/)?([^?]*)\??(.*)$/.exec(text) ?? [];
    return new Uri(scheme, path, query);
  }
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  static joinPath(base: Uri, ...parts: readonly string[]): Uri {
    const path = new URL(parts.join("/"), `file://${base.path}/`).pathname;
    return new Uri(base.scheme, path);
  }
  get fsPath(): string {
    return this.path;
  }
  with(change: { readonly scheme?: string; readonly path?: string; readonly query?: string }): Uri {
    return new Uri(
      change.scheme ?? this.scheme,
      change.path ?? this.path,
      change.query ?? this.query,
    );
  }
  toString(): string {
    return `${this.scheme}:${this.path}${this.query === "" ? "" : `?${this.query}`}`;
  }
}

class CodeActionKind {
  static readonly QuickFix = new CodeActionKind("quickfix");
  static readonly SourceFixAll = new CodeActionKind("source.fixAll");
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
  append(part: string): CodeActionKind {
    return new CodeActionKind(`${this.value}.${part}`);
  }
  intersects(other: CodeActionKind): boolean {
    return other.value.startsWith(this.value) || this.value.startsWith(other.value);
  }
}

class Disposable {
  readonly #dispose: () => void;
  constructor(dispose: () => void) {
    this.#dispose = dispose;
  }
  static from(...parts: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const part of parts) part.dispose();
    });
  }
  dispose(): void {
    this.#dispose();
  }
}

class WorkspaceEdit {
  readonly edits: { readonly uri: Uri; readonly range: Range; readonly text: string }[] = [];
  replace(uri: Uri, range: Range, text: string): void {
    this.edits.push({ uri, range, text });
  }
}

/** A class whose constructor keeps its arguments under these names. */
function record(...names: readonly string[]) {
  return class {
    [name: string]: unknown;
    constructor(...values: readonly unknown[]) {
      for (const [index, name] of names.entries()) this[name] = values[index];
    }
  };
}

/** Numbers for the names of an enumeration. */
function numbers(...names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(names.map((name, index) => [name, index]));
}

export interface FakeDocument {
  readonly uri: Uri;
  readonly languageId: string;
  readonly fileName: string;
  readonly version: number;
  readonly isClosed: boolean;
  readonly lineCount: number;
  getText(): string;
  lineAt(line: number): { readonly text: string };
  positionAt(offset: number): Position;
  offsetAt(position: Position): number;
}

export function aDocument(
  text: string,
  path = "/projects/tinker-config.yaml",
  scheme = "file",
): FakeDocument {
  const lines = text.split("\n");
  return {
    uri: new Uri(scheme, path),
    languageId: path.endsWith(".json") ? "json" : "yaml",
    fileName: path,
    version: 1,
    isClosed: false,
    lineCount: lines.length,
    getText: () => text,
    lineAt: (line) => ({ text: lines[line] ?? "" }),
    positionAt: (offset) => {
      const before = text.slice(0, offset).split("\n");
      return new Position(before.length - 1, before.at(-1)?.length ?? 0);
    },
    offsetAt: ({ line, character }) =>
      lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0) + character,
  };
}

/** A new fake, and what tests look at and change in it. */
export function createFakeVscode() {
  const listeners = new Map<string, Set<Listener>>();
  const settings = new Map<string, unknown>();
  const marks = new Map<string, readonly unknown[]>();
  const context = new Map<unknown, unknown>();
  const textDocuments: FakeDocument[] = [];
  const event = (name: string) => (listener: Listener) => {
    const own = listeners.get(name) ?? new Set();
    listeners.set(name, own.add(listener));
    return new Disposable(() => own.delete(listener));
  };
  const state: { isTrusted: boolean; foundFiles: readonly Uri[] } = {
    isTrusted: true,
    foundFiles: [],
  };
  const vscode = {
    Position,
    Range,
    Uri,
    CodeActionKind,
    Disposable,
    WorkspaceEdit,
    Diagnostic: record("range", "message", "severity"),
    DiagnosticRelatedInformation: record("location", "message"),
    Location: record("uri", "range"),
    CompletionItem: record("label", "kind"),
    CompletionList: record("items", "isIncomplete"),
    MarkdownString: record("value"),
    SnippetString: record("value"),
    Hover: record("contents", "range"),
    CodeAction: record("title", "kind"),
    CodeLens: record("range", "command"),
    DocumentLink: record("range", "target"),
    InlayHint: record("position", "label"),
    InlayHintLabelPart: record("value"),
    DiagnosticSeverity: numbers("Error", "Warning", "Information", "Hint"),
    DiagnosticTag: numbers("None", "Unnecessary", "Deprecated"),
    CompletionItemTag: numbers("None", "Deprecated"),
    CompletionItemKind: numbers(
      "Property",
      "Value",
      "EnumMember",
      "Module",
      "Folder",
      "Class",
      "File",
    ),
    l10n: fakeVscode.l10n,
    extensions: { getExtension: () => undefined },
    commands: {
      executeCommand: (_: string, key: unknown, value: unknown) => {
        context.set(key, value);
        return Promise.resolve();
      },
    },
    languages: {
      createDiagnosticCollection: () => ({
        set: (uri: Uri, found: readonly unknown[]) => marks.set(uri.toString(), found),
        delete: (uri: Uri) => marks.delete(uri.toString()),
        dispose: () => marks.clear(),
      }),
    },
    workspace: {
      get isTrusted() {
        return state.isTrusted;
      },
      workspaceFolders: [],
      findFiles: async () => state.foundFiles,
      asRelativePath: ({ path }: Uri) => path.replace("/projects/", ""),
      textDocuments,
      getConfiguration: () => ({ get: (key: string) => settings.get(key) }),
      onDidChangeConfiguration: event("configuration"),
      onDidOpenTextDocument: event("open"),
      onDidChangeTextDocument: event("change"),
      onDidCloseTextDocument: event("close"),
      onDidGrantWorkspaceTrust: event("trust"),
    },
  };
  const fire = (name: string, value: unknown): void => {
    for (const listener of listeners.get(name) ?? []) listener(value);
  };
  return { vscode, state, settings, marks, context, textDocuments, fire };
}
