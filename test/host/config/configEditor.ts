/** The parts of VS Code that configuration help uses besides {@link fakeVscode}, with documents. */

import { Disposable } from "../../fakes/disposable.ts";
import { fakeVscode } from "../fakeVscode.ts";

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
}

class Uri {
  readonly scheme: string;
  readonly path: string;
  constructor(scheme: string, path: string) {
    this.scheme = scheme;
    this.path = path;
  }
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  static parse(text: string): Uri {
    return new Uri("file", text.replace(/^file:(\/\/)?/, ""));
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}

class WorkspaceEdit {
  readonly edits: { readonly uri: Uri; readonly range: Range; readonly text: string }[] = [];
  replace(uri: Uri, range: Range, text: string): void {
    this.edits.push({ uri, range, text });
  }
}

/** A class whose constructor stores its arguments under these names. */
function record(...names: readonly string[]) {
  return class {
    [name: string]: unknown;
    constructor(...values: readonly unknown[]) {
      for (const [index, name] of names.entries()) this[name] = values[index];
    }
  };
}

export interface FakeDocument {
  readonly uri: Uri;
  readonly languageId: string;
  readonly fileName: string;
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

const listeners = new Map<string, Set<Listener>>();

function event(name: string) {
  return (listener: Listener) => {
    const own = listeners.get(name) ?? new Set();
    listeners.set(name, own.add(listener));
    return new Disposable(() => own.delete(listener));
  };
}

/** What the editor has and was given; `fire` calls the listeners of an event. */
export const editor = {
  textDocuments: [] as FakeDocument[],
  foundFiles: [] as readonly Uri[],
  contextKeys: new Map<unknown, unknown>(),
  fire: (name: string, value: unknown): void => {
    for (const listener of listeners.get(name) ?? []) listener(value);
  },
};

export const vscode = {
  ...fakeVscode,
  Position,
  Range,
  Uri,
  WorkspaceEdit,
  CompletionItem: record("label", "kind"),
  CompletionItemKind: { File: 0 },
  CodeAction: record("title", "kind"),
  CodeActionKind: { QuickFix: "quickfix" },
  extensions: { getExtension: () => undefined },
  commands: {
    executeCommand: async (_: string, key: unknown, value: unknown) =>
      void editor.contextKeys.set(key, value),
  },
  workspace: Object.assign(fakeVscode.workspace, {
    findFiles: async () => editor.foundFiles,
    asRelativePath: (uri: unknown) => (uri as Uri).path.replace("/projects/", ""), // a found file
    textDocuments: editor.textDocuments,
    onDidChangeConfiguration: event("configuration"),
    onDidOpenTextDocument: event("open"),
    onDidChangeTextDocument: event("change"),
    onDidCloseTextDocument: event("close"),
    onDidGrantWorkspaceTrust: event("trust"),
  }),
};
