/** The part of the VS Code API that texts about keys use. */

export const fakeVscode = {
  env: { language: "en" },
  l10n: {
    t: (text: string, ...args: readonly unknown[]): string =>
      text.replace(/\{(\d+)\}/g, (whole, index) => String(args[Number(index)] ?? whole)),
  },
};

/** The part of the VS Code API that a start uses: default settings and unlocalized texts. */
export const fakeWindow = {
  ...fakeVscode,
  workspace: {
    isTrusted: true,
    workspaceFolders: undefined,
    getWorkspaceFolder: () => undefined,
    asRelativePath: (path: string) => path,
    getConfiguration: () => ({ get: () => undefined }),
  },
};

class Named {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

/** The part of the VS Code API that trees use. */
export const fakeTrees = {
  ...fakeVscode,
  TreeItem: class {
    readonly label: string;
    readonly collapsibleState: number | undefined;
    constructor(label: string, collapsibleState?: number) {
      this.label = label;
      this.collapsibleState = collapsibleState;
    }
  },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  ThemeIcon: Named,
  ThemeColor: Named,
  EventEmitter: class<T> {
    readonly #listeners: ((value: T) => void)[] = [];
    readonly event = (listener: (value: T) => void) => {
      this.#listeners.push(listener);
      return { dispose: () => undefined };
    };
    fire(value: T): void {
      for (const listener of this.#listeners) listener(value);
    }
    dispose(): void {}
  },
};

/** The part of the VS Code API that tooltips use. */
export const fakeTooltips = {
  ...fakeVscode,
  MarkdownString: class {
    value = "";
    appendMarkdown(text: string) {
      this.value += text;
      return this;
    }
    appendText(text: string) {
      return this.appendMarkdown(text);
    }
  },
};
