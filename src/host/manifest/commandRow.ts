/** A row of the command table: everything needed for the manifest, `docs/vscode.md` and registration. */

import type { DashboardCommand } from "../../shared/dashboardMessages.ts";

/** VS Code menus. `view/item/context` is a tree row (groups `inline*` are its icons); `webview/context` is a row of the runs table. */
export type MenuId =
  | "editor/context"
  | "editor/title"
  | "explorer/context"
  | "file/newFile"
  | "view/item/context"
  | "view/title"
  | "webview/context";

export interface MenuEntry {
  readonly menu: MenuId;
  /** A when clause; all our context keys in it must be in `contextKeyTable.ts`. */
  readonly when?: string;
  /** For example `navigation@2`, `inline@1` or `3_copy@1`. */
  readonly group?: string;
}

export interface CommandRow {
  readonly title: string;
  /** What it does, as a sentence for the table in `docs/vscode.md`. */
  readonly does: string;
  /** A codicon name. */
  readonly icon?: string;
  /** When clause for the command palette; absent = always, false = never. */
  readonly palette?: string | false;
  /** True if it must not work in Restricted Mode: it is grayed out, and rejected if called anyway. */
  readonly needsTrust?: true;
  readonly menus?: readonly MenuEntry[];
  readonly key?: {
    readonly key: string;
    readonly mac: string;
    readonly when: string;
    /** Passed to the handler in place of a row. */
    readonly args?: unknown;
  };
}

export type CommandFamily = Readonly<Record<string, CommandRow>>;

/** True if the menu is for a configuration file. */
export const ON_CONFIG = "resourcePath in tinkerRL.configFiles";

/** Palette clause of commands that ask for a run (or its rollouts) if none is given. */
export const WITH_RUNS = "tinkerRL.hasRuns";

/** Palette clause of commands that ask for a checkpoint. */
export const WITH_CHECKPOINTS = "tinkerRL.hasCheckpoints";

/** Palette clause of commands that ask for a configuration if none is open. */
export const WITH_CONFIG = `tinkerRL.hasConfig || ${ON_CONFIG}`;

/** When clause for checkpoint rows with one of `words`, in the Checkpoints view and below runs. */
export function onCheckpoint(...words: readonly string[]): string {
  return `(view == tinkerRL.runs || view == tinkerRL.checkpoints) && viewItem =~ /\\b(checkpoint)\\b/${
    words.length === 0 ? "" : ` && viewItem =~ /\\b(${words.join("|")})\\b/`
  }`;
}

/** When clause for rows of `view` whose `contextValue` contains one of `words`; context words are joined by `+`. */
export function onRow(view: ViewId, ...words: readonly string[]): string {
  const row = `view == tinkerRL.${view}`;
  return words.length === 0 ? row : `${row} && viewItem =~ /\\b(${words.join("|")})\\b/`;
}

/** Menu entries in `groups` for the rows that match `when`. */
export function rowMenus(when: string, ...groups: readonly string[]): readonly MenuEntry[] {
  return groups.map((group) => ({ menu: "view/item/context", when, group }));
}

/** {@link rowMenus} for run rows, which also appear in the runs table. */
export function runMenus(when: string, ...groups: readonly string[]): readonly MenuEntry[] {
  const inTable = when.replaceAll("view == tinkerRL.runs", "webviewId == 'tinkerRL.runs'");
  const below = groups.filter((group) => !group.startsWith("inline"));
  return [
    ...rowMenus(when, ...groups),
    ...below.map((group): MenuEntry => ({ menu: "webview/context", when: inTable, group })),
  ];
}

/** A keybinding for the selection in the Runs view. */
export function runKey(key: string, mac: string): NonNullable<CommandRow["key"]> {
  const when = "focusedView == tinkerRL.runs && listFocus && !inputFocus";
  return { key, mac, when, args: ON_SELECTION };
}

/** Passed in place of a row: refers to the selection in the Runs view. */
export const ON_SELECTION = { rows: "selected" } as const;

/** A menu entry in the title bar of `view`. */
export function titleMenu(view: ViewId, group: string, when?: string): MenuEntry {
  const isShown = `view == tinkerRL.${view}`;
  return {
    menu: "view/title",
    when: when === undefined ? isShown : `${isShown} && ${when}`,
    group,
  };
}

/** Menu entries for configuration files, by menu. */
export function configMenus(
  groups: Readonly<Partial<Record<MenuId, string>>>,
): readonly MenuEntry[] {
  return Object.entries(groups).map(([menu, group]) => {
    return { menu: menu as MenuId, when: ON_CONFIG, group }; // the keys are those of the parameter
  });
}

export type ViewId = "runs" | "trajectories" | "checkpoints" | "environments";

/** When clause for the dashboard's title bar: true if its page has no room for `command`. */
export function inDashboardTitle(command: DashboardCommand): string {
  return `activeWebviewPanelId == 'tinkerRL.dashboard' && tinkerRL.titleActions =~ /\\b${command}\\b/`;
}
