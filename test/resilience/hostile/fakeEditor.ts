/** The part of VS Code that the extension's views and finders use, for programs outside it: `vscode` resolves to this file there. */

import { readFile, stat as statFile } from "node:fs/promises";

import { CancellationTokenSource as ProtocolTokenSource } from "vscode-languageserver/node";
import { Disposable } from "../../fakes/disposable.ts";
import { fakeVscode } from "../../host/fakeVscode.ts";

export { Disposable };

const quiet = (): Disposable => new Disposable(() => undefined);

/** The protocol has the same one. */
export class CancellationTokenSource extends ProtocolTokenSource {}

export class Uri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
  constructor(scheme: string, path: string, query: string) {
    this.scheme = scheme;
    this.path = path;
    this.query = query;
  }
  static file(path: string): Uri {
    return new Uri("file", path, "");
  }
  static from(parts: {
    readonly scheme: string;
    readonly path?: string;
    readonly query?: string;
  }): Uri {
    return new Uri(parts.scheme, parts.path ?? "", parts.query ?? "");
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}:${this.path}?${this.query}`;
  }
}

export class RelativePattern {}

export const { EventEmitter, MarkdownString, ThemeIcon, ThemeColor, TreeItem } = fakeVscode;
export const { TreeItemCollapsibleState, env, l10n } = fakeVscode;
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 } as const;

export const window = { activeTextEditor: undefined };
export class WorkspaceEdit {}
export const commands = { executeCommand: async (): Promise<void> => undefined };

/** The workspace's configurations. */
export const found: { configs: readonly Uri[] } = { configs: [] };

export const workspace = {
  isTrusted: true,
  workspaceFolders: [],
  textDocuments: [],
  getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }),
  onDidGrantWorkspaceTrust: quiet,
  onDidChangeConfiguration: quiet,
  onDidChangeWorkspaceFolders: quiet,
  onDidChangeTextDocument: quiet,
  createFileSystemWatcher: () => ({
    onDidCreate: quiet,
    onDidDelete: quiet,
    onDidChange: quiet,
    dispose: () => undefined,
  }),
  findFiles: async () => found.configs,
  fs: {
    readFile: async ({ path }: Uri) => new Uint8Array(await readFile(path)),
    stat: async ({ path }: Uri) => {
      const info = await statFile(path);
      const type = info.isFile() ? FileType.File : info.isDirectory() ? FileType.Directory : 0;
      return { type, size: info.size, ctime: info.ctimeMs, mtime: info.mtimeMs };
    },
  },
};
