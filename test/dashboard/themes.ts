/** The themes for page tests: those of `browser.css`, with the editor's own colors. */

export interface Theme {
  readonly name: string;
  /** Classes of the body, as the editor sets them. */
  readonly classes: string;
  /** The system's preferences. */
  readonly media: {
    readonly colorScheme: "dark" | "light";
    readonly contrast: "more" | "no-preference";
  };
}

export const THEMES: readonly [Theme, ...Theme[]] = [
  {
    name: "dark",
    classes: "vscode-dark",
    media: { colorScheme: "dark", contrast: "no-preference" },
  },
  {
    name: "light",
    classes: "vscode-light",
    media: { colorScheme: "light", contrast: "no-preference" },
  },
  {
    name: "hc-dark",
    classes: "vscode-high-contrast",
    media: { colorScheme: "dark", contrast: "more" },
  },
  {
    name: "hc-light",
    classes: "vscode-high-contrast vscode-high-contrast-light",
    media: { colorScheme: "light", contrast: "more" },
  },
];
