/** The little of the editor that texts about keys are written with. */

export const fakeVscode = {
  env: { language: "en" },
  l10n: {
    t: (text: string, ...args: readonly string[]): string =>
      text.replace(/\{(\d+)\}/g, (whole, index) => args[Number(index)] ?? whole),
  },
};

/** The little of the editor that a start asks for: default settings and texts as they are. */
export const fakeWindow = {
  ...fakeVscode,
  workspace: {
    isTrusted: true,
    workspaceFolders: undefined,
    getWorkspaceFolder: () => undefined,
    getConfiguration: () => ({ get: () => undefined }),
  },
};

/** The little of the editor that tooltips are written with. */
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
