/** The colours of four themes of the editor, as its page variables; what a theme leaves out is not set, as in the editor. */

export interface Theme {
  readonly name: string;
  /** Classes of the body. */
  readonly classes: string;
  readonly colours: Readonly<Record<string, string>>;
}

const DARK = {
  ...{ foreground: "#cccccc", descriptionForeground: "#9d9d9d", disabledForeground: "#cccccc80" },
  ...{ focusBorder: "#0078d4", "editor-background": "#1f1f1f", "editor-foreground": "#cccccc" },
  ...{
    "editorWidget-background": "#202020",
    "widget-border": "#313131",
    "panel-border": "#2b2b2b",
  },
  ...{
    "widget-shadow": "#0000005c",
    "textLink-foreground": "#4daafc",
    "textCodeBlock-background": "#2b2b2b",
  },
  ...{ "textBlockQuote-background": "#2b2b2b", "textBlockQuote-border": "#616161" },
  ...{ "textPreformat-foreground": "#d0d0d0", "textPreformat-background": "#3c3c3c" },
  ...{ "list-hoverBackground": "#2a2d2e", "list-activeSelectionBackground": "#04395e" },
  ...{ "list-activeSelectionForeground": "#ffffff", "list-inactiveSelectionBackground": "#37373d" },
  ...{ "list-warningForeground": "#cca700", "list-errorForeground": "#f88070" },
  ...{
    errorForeground: "#f85149",
    "editorError-foreground": "#f14c4c",
    "editorWarning-foreground": "#cca700",
  },
  ...{ "input-background": "#313131", "input-foreground": "#cccccc", "input-border": "#3c3c3c" },
  ...{ "input-placeholderForeground": "#989898", "inputOption-activeBackground": "#2489db82" },
  ...{ "inputOption-activeBorder": "#2488db", "inputOption-activeForeground": "#ffffff" },
  ...{ "inputValidation-warningBackground": "#352a05", "inputValidation-warningBorder": "#b89500" },
  ...{ "inputValidation-errorBackground": "#5a1d1d", "inputValidation-errorBorder": "#be1100" },
  ...{
    "dropdown-background": "#313131",
    "dropdown-foreground": "#cccccc",
    "dropdown-border": "#3c3c3c",
  },
  ...{
    "button-background": "#0078d4",
    "button-foreground": "#ffffff",
    "button-border": "#ffffff12",
  },
  ...{ "button-secondaryBackground": "#313131", "button-secondaryForeground": "#cccccc" },
  ...{ "button-secondaryHoverBackground": "#3c3c3c", "toolbar-hoverBackground": "#5a5d5e50" },
  ...{
    "badge-background": "#616161",
    "badge-foreground": "#f8f8f8",
    "progressBar-background": "#0078d4",
  },
  ...{ "panelTitle-activeForeground": "#cccccc", "panelTitle-inactiveForeground": "#9d9d9d" },
  ...{
    "panelTitle-activeBorder": "#0078d4",
    "menu-background": "#1f1f1f",
    "menu-foreground": "#cccccc",
  },
  ...{
    "menu-selectionBackground": "#0078d4",
    "menu-selectionForeground": "#ffffff",
    "menu-border": "#454545",
  },
  ...{ "keybindingLabel-background": "#8080802b", "keybindingLabel-foreground": "#cccccc" },
  ...{
    "keybindingLabel-border": "#33333399",
    "charts-foreground": "#cccccc",
    "charts-lines": "#cccccc80",
  },
  ...{ "charts-red": "#f14c4c", "charts-blue": "#3794ff", "charts-yellow": "#cca700" },
  // Transparent, as VS Code takes it from the highlights of its minimap: dark brown on this background.
  ...{ "charts-orange": "#ea5c0055", "charts-green": "#89d185", "charts-purple": "#b180d7" },
} as const;

const LIGHT = {
  ...{ foreground: "#3b3b3b", descriptionForeground: "#3b3b3b", disabledForeground: "#61616180" },
  ...{ focusBorder: "#005fb8", "editor-background": "#ffffff", "editor-foreground": "#3b3b3b" },
  ...{
    "editorWidget-background": "#f8f8f8",
    "widget-border": "#e5e5e5",
    "panel-border": "#e5e5e5",
  },
  ...{
    "widget-shadow": "#00000029",
    "textLink-foreground": "#005fb8",
    "textCodeBlock-background": "#f8f8f8",
  },
  ...{ "textBlockQuote-background": "#f8f8f8", "textBlockQuote-border": "#e5e5e5" },
  ...{ "textPreformat-foreground": "#3b3b3b", "textPreformat-background": "#0000001f" },
  ...{ "list-hoverBackground": "#f2f2f2", "list-activeSelectionBackground": "#e8e8e8" },
  ...{ "list-activeSelectionForeground": "#000000", "list-inactiveSelectionBackground": "#e4e6f1" },
  ...{ "list-warningForeground": "#855f00", "list-errorForeground": "#b01011" },
  ...{
    errorForeground: "#f85149",
    "editorError-foreground": "#e51400",
    "editorWarning-foreground": "#bf8803",
  },
  ...{ "input-background": "#ffffff", "input-foreground": "#3b3b3b", "input-border": "#cecece" },
  ...{ "input-placeholderForeground": "#767676", "inputOption-activeBackground": "#bed6ed" },
  ...{ "inputOption-activeBorder": "#005fb8", "inputOption-activeForeground": "#000000" },
  ...{ "inputValidation-warningBackground": "#f6f5d2", "inputValidation-warningBorder": "#b89500" },
  ...{ "inputValidation-errorBackground": "#f2dede", "inputValidation-errorBorder": "#be1100" },
  ...{
    "dropdown-background": "#ffffff",
    "dropdown-foreground": "#3b3b3b",
    "dropdown-border": "#cecece",
  },
  ...{
    "button-background": "#005fb8",
    "button-foreground": "#ffffff",
    "button-border": "#0000001a",
  },
  ...{ "button-secondaryBackground": "#e5e5e5", "button-secondaryForeground": "#3b3b3b" },
  ...{ "button-secondaryHoverBackground": "#cccccc", "toolbar-hoverBackground": "#b8b8b850" },
  ...{
    "badge-background": "#cccccc",
    "badge-foreground": "#3b3b3b",
    "progressBar-background": "#005fb8",
  },
  ...{ "panelTitle-activeForeground": "#3b3b3b", "panelTitle-inactiveForeground": "#3b3b3b" },
  ...{
    "panelTitle-activeBorder": "#005fb8",
    "menu-background": "#ffffff",
    "menu-foreground": "#3b3b3b",
  },
  ...{
    "menu-selectionBackground": "#005fb8",
    "menu-selectionForeground": "#ffffff",
    "menu-border": "#cecece",
  },
  ...{ "keybindingLabel-background": "#dddddd66", "keybindingLabel-foreground": "#3b3b3b" },
  ...{
    "keybindingLabel-border": "#cccccc66",
    "charts-foreground": "#3b3b3b",
    "charts-lines": "#3b3b3b80",
  },
  ...{ "charts-red": "#e51400", "charts-blue": "#1a85ff", "charts-yellow": "#bf8803" },
  ...{ "charts-orange": "#d18616", "charts-green": "#388a34", "charts-purple": "#652d90" },
} as const;

const HIGH_DARK = {
  ...{ foreground: "#ffffff", descriptionForeground: "#ffffffb3", disabledForeground: "#a5a5a5" },
  ...{ focusBorder: "#f38518", contrastBorder: "#6fc3df", contrastActiveBorder: "#f38518" },
  ...{
    "editor-background": "#000000",
    "editor-foreground": "#ffffff",
    "editorWidget-background": "#0c141f",
  },
  ...{ "widget-border": "#6fc3df", "panel-border": "#6fc3df", "textLink-foreground": "#21a6ff" },
  ...{ "textCodeBlock-background": "#000000", "textBlockQuote-border": "#ffffff" },
  ...{ "textPreformat-foreground": "#ffffff", "textPreformat-background": "#000000" },
  ...{
    "list-hoverBackground": "#ffffff1a",
    errorForeground: "#f48771",
    "editorError-foreground": "#f48771",
  },
  ...{
    "editorWarning-foreground": "#ffd370",
    "input-background": "#000000",
    "input-foreground": "#ffffff",
  },
  ...{ "input-border": "#6fc3df", "input-placeholderForeground": "#ffffffb3" },
  ...{ "inputOption-activeBackground": "#00000000", "inputOption-activeBorder": "#6fc3df" },
  ...{ "inputOption-activeForeground": "#ffffff", "inputValidation-warningBackground": "#000000" },
  ...{ "inputValidation-warningBorder": "#6fc3df", "inputValidation-errorBackground": "#000000" },
  ...{ "inputValidation-errorBorder": "#6fc3df", "dropdown-background": "#000000" },
  ...{
    "dropdown-foreground": "#ffffff",
    "dropdown-border": "#6fc3df",
    "button-foreground": "#ffffff",
  },
  ...{ "button-border": "#6fc3df", "button-secondaryForeground": "#ffffff" },
  ...{
    "badge-background": "#000000",
    "badge-foreground": "#ffffff",
    "progressBar-background": "#6fc3df",
  },
  ...{ "panelTitle-activeForeground": "#ffffff", "panelTitle-inactiveForeground": "#ffffff" },
  ...{
    "panelTitle-activeBorder": "#6fc3df",
    "menu-background": "#000000",
    "menu-foreground": "#ffffff",
  },
  ...{
    "menu-selectionBorder": "#f38518",
    "menu-border": "#6fc3df",
    "keybindingLabel-foreground": "#ffffff",
  },
  ...{
    "keybindingLabel-border": "#6fc3df",
    "charts-foreground": "#ffffff",
    "charts-lines": "#ffffff80",
  },
  ...{ "charts-red": "#f48771", "charts-blue": "#3794ff", "charts-yellow": "#ffd370" },
  ...{ "charts-orange": "#ab5a00", "charts-green": "#89d185", "charts-purple": "#b180d7" },
} as const;

const HIGH_LIGHT = {
  ...{ foreground: "#292929", descriptionForeground: "#292929b3", disabledForeground: "#7f7f7f" },
  ...{ focusBorder: "#006bbd", contrastBorder: "#0f4a85", contrastActiveBorder: "#006bbd" },
  ...{
    "editor-background": "#ffffff",
    "editor-foreground": "#292929",
    "editorWidget-background": "#ffffff",
  },
  ...{ "widget-border": "#0f4a85", "panel-border": "#0f4a85", "textLink-foreground": "#0f4a85" },
  ...{ "textCodeBlock-background": "#f2f2f2", "textBlockQuote-background": "#f2f2f2" },
  ...{ "textBlockQuote-border": "#292929", "textPreformat-foreground": "#292929" },
  ...{ "textPreformat-background": "#f2f2f2", "list-hoverBackground": "#0f4a851a" },
  ...{
    "list-activeSelectionBackground": "#0f4a851a",
    "list-inactiveSelectionBackground": "#0f4a851a",
  },
  ...{
    errorForeground: "#b5200d",
    "editorError-foreground": "#b5200d",
    "editorWarning-foreground": "#895503",
  },
  ...{ "input-background": "#ffffff", "input-foreground": "#292929", "input-border": "#0f4a85" },
  ...{ "input-placeholderForeground": "#292929b3", "inputOption-activeBackground": "#00000000" },
  ...{ "inputOption-activeBorder": "#0f4a85", "inputOption-activeForeground": "#292929" },
  ...{ "inputValidation-warningBackground": "#ffffff", "inputValidation-warningBorder": "#0f4a85" },
  ...{ "inputValidation-errorBackground": "#ffffff", "inputValidation-errorBorder": "#0f4a85" },
  ...{
    "dropdown-background": "#ffffff",
    "dropdown-foreground": "#292929",
    "dropdown-border": "#0f4a85",
  },
  ...{ "button-background": "#0f4a85", "button-foreground": "#ffffff", "button-border": "#0f4a85" },
  ...{ "button-secondaryBackground": "#ffffff", "button-secondaryForeground": "#292929" },
  ...{
    "badge-background": "#0f4a85",
    "badge-foreground": "#ffffff",
    "progressBar-background": "#0f4a85",
  },
  ...{ "panelTitle-activeForeground": "#292929", "panelTitle-inactiveForeground": "#292929" },
  ...{
    "panelTitle-activeBorder": "#b5200d",
    "menu-background": "#ffffff",
    "menu-foreground": "#292929",
  },
  ...{
    "menu-selectionBackground": "#0f4a85",
    "menu-selectionForeground": "#ffffff",
    "menu-border": "#0f4a85",
  },
  ...{ "keybindingLabel-foreground": "#292929", "keybindingLabel-border": "#0f4a85" },
  ...{ "charts-foreground": "#292929", "charts-lines": "#29292980", "charts-red": "#b5200d" },
  ...{ "charts-blue": "#1a85ff", "charts-yellow": "#895503", "charts-orange": "#0f4a85" },
  ...{ "charts-green": "#374e06", "charts-purple": "#652d90" },
} as const;

export const THEMES: readonly Theme[] = [
  { name: "dark", classes: "vscode-dark", colours: DARK },
  { name: "light", classes: "vscode-light", colours: LIGHT },
  { name: "hc-dark", classes: "vscode-high-contrast", colours: HIGH_DARK },
  {
    name: "hc-light",
    classes: "vscode-high-contrast vscode-high-contrast-light",
    colours: HIGH_LIGHT,
  },
];

/** The variables with the editor's fonts. */
export function themeVariables({ colours }: Theme): readonly (readonly [string, string])[] {
  const fonts = {
    "font-family": "'DejaVu Sans', sans-serif",
    "font-size": "13px",
    "editor-font-family": "'DejaVu Sans Mono', monospace",
    "editor-font-size": "13px",
  };
  return Object.entries({ ...colours, ...fonts }).map(
    ([name, value]) => [`--vscode-${name}`, value] as const,
  );
}
