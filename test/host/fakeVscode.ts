/** The parts of VS Code's API that the extension uses most, in memory. A test replaces those that it looks at. */

import { Disposable } from "../fakes/disposable.ts";

/** A theme's icon or color. */
class Named {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void): Disposable => {
    this.#listeners.add(listener);
    return new Disposable(() => this.#listeners.delete(listener));
  };
  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

class CancellationTokenSource {
  readonly token = { isCancellationRequested: false, onCancel: (): void => undefined };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.token.onCancel();
  }
}

class TreeItem {
  readonly label: string;
  readonly collapsibleState: number | undefined;
  constructor(label: string, collapsibleState?: number) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

class MarkdownString {
  value = "";
  appendMarkdown(text: string) {
    this.value += text;
    return this;
  }
  appendText(text: string) {
    return this.appendMarkdown(text);
  }
}

/** The settings of the extension, without its prefix; what is absent has its default. */
export const settings = new Map<string, unknown>();

/** Texts are not localized, and no folder is open. */
export const fakeVscode = {
  CancellationTokenSource,
  ConfigurationTarget: { Global: 1 },
  Disposable,
  EventEmitter,
  MarkdownString,
  ProgressLocation: { Window: 10, Notification: 15 },
  ThemeColor: Named,
  ThemeIcon: Named,
  TreeItem,
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  env: { language: "en" },
  l10n: {
    t: (text: string, ...args: readonly unknown[]): string =>
      text.replace(/\{(\d+)\}/g, (whole, index) => String(args[Number(index)] ?? whole)),
  },
  workspace: {
    isTrusted: true,
    workspaceFolders: undefined as readonly object[] | undefined,
    getWorkspaceFolder: (_: unknown): object | undefined => undefined,
    asRelativePath: (path: unknown): unknown => path,
    getConfiguration: () => ({
      get: (key: string) => settings.get(key),
      update: async (key: string, value: unknown) => void settings.set(key, value),
    }),
  },
};
