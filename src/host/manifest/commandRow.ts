/** The shape of a row in the command table: what the manifest, `docs/vscode.md` and the registration need to know. */

import type { DashboardCommand } from "../../shared/dashboardMessages.ts";

/** Menus that VS Code draws; `view/item/context` is a row of a tree, with the groups `inline*` as its icons, `webview/context` a row of the runs table. */
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
  /** A when clause; every context key of ours in it is in `contextKeys.ts`. */
  readonly when?: string;
  /** `navigation@2`, `inline@1`, `3_copy@1` … */
  readonly group?: string;
}

export interface CommandRow {
  readonly title: string;
  /** What it does, as a sentence for the table in `docs/vscode.md`. */
  readonly does: string;
  /** The name of a codicon. */
  readonly icon?: string;
  /** Where the palette offers it: a when clause; absent for always, false for never. */
  readonly palette?: string | false;
  /** True when it must not work in Restricted Mode: it is grayed out, and refused when called anyway. */
  readonly needsTrust?: true;
  readonly menus?: readonly MenuEntry[];
  readonly key?: {
    readonly key: string;
    readonly mac: string;
    readonly when: string;
    /** What the handler gets in the place of a row. */
    readonly args?: unknown;
  };
}

export type CommandFamily = Readonly<Record<string, CommandRow>>;

/** True for the configuration file that a menu is about. */
export const ON_CONFIG = "resourcePath in tinkerRL.configFiles";

/** Palette clause of a command that asks for a run where none is given: also one about its rollouts. */
export const WITH_RUNS = "tinkerRL.hasRuns";

/** The same of a command that asks for a checkpoint. */
export const WITH_CHECKPOINTS = "tinkerRL.hasCheckpoints";

/** The same of a command that asks for a configuration where none is open. */
export const WITH_CONFIG = `tinkerRL.hasConfig || ${ON_CONFIG}`;

/** When clause for rows of checkpoints with one of `words`: in their own view, and below runs. */
export function onCheckpoint(...words: readonly string[]): string {
  return `(view == tinkerRL.runs || view == tinkerRL.checkpoints) && viewItem =~ /\\b(checkpoint)\\b/${
    words.length === 0 ? "" : ` && viewItem =~ /\\b(${words.join("|")})\\b/`
  }`;
}

/** When clause for rows of `view` whose `contextValue` has one of `words`; the words are joined by `+`. */
export function onRow(view: ViewId, ...words: readonly string[]): string {
  const row = `view == tinkerRL.${view}`;
  return words.length === 0 ? row : `${row} && viewItem =~ /\\b(${words.join("|")})\\b/`;
}

/** The places `groups` of the rows that `when` is about. */
export function rowMenus(when: string, ...groups: readonly string[]): readonly MenuEntry[] {
  return groups.map((group) => ({ menu: "view/item/context", when, group }));
}

/** {@link rowMenus} for the rows of runs, which the runs table has, too. */
export function runMenus(when: string, ...groups: readonly string[]): readonly MenuEntry[] {
  const inTable = when.replaceAll("view == tinkerRL.runs", "webviewId == 'tinkerRL.runs'");
  const below = groups.filter((group) => !group.startsWith("inline"));
  return [
    ...rowMenus(when, ...groups),
    ...below.map((group): MenuEntry => ({ menu: "webview/context", when: inTable, group })),
  ];
}

/** A key for what is selected in the Runs view. */
export function runKey(key: string, mac: string): NonNullable<CommandRow["key"]> {
  const when = "focusedView == tinkerRL.runs && listFocus && !inputFocus";
  return { key, mac, when, args: ON_SELECTION };
}

/** In the place of a row: those that are selected in the Runs view. */
export const ON_SELECTION = { rows: "selected" } as const;

/** A place in the title bar of `view`. */
export function titleMenu(view: ViewId, group: string, when?: string): MenuEntry {
  const isShown = `view == tinkerRL.${view}`;
  return {
    menu: "view/title",
    when: when === undefined ? isShown : `${isShown} && ${when}`,
    group,
  };
}

/** Places in menus of configuration files, by menu. */
export function configMenus(
  groups: Readonly<Partial<Record<MenuId, string>>>,
): readonly MenuEntry[] {
  return Object.entries(groups).map(([menu, group]) => {
    return { menu: menu as MenuId, when: ON_CONFIG, group }; // the keys are those of the parameter
  });
}

export type ViewId = "runs" | "trajectories" | "checkpoints" | "environments";

/** When clause for the title bar of the dashboard: its page has no room for `command`. */
export function inDashboardTitle(command: DashboardCommand): string {
  return `activeWebviewPanelId == 'tinkerRL.dashboard' && tinkerRL.titleActions =~ /\\b${command}\\b/`;
}
