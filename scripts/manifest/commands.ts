/** Commands, menus, and key bindings of the manifest, from the command table. */

import type { CommandRow, MenuId } from "../../src/host/manifest/commandRow.ts";
import { COMMANDS } from "../../src/host/manifest/commandTable.ts";

type Entry = Readonly<Record<string, unknown>>;

const rows = [...COMMANDS].map(([id, row]) => ({ id, row, command: `tinkerRL.${id}` }));

export function commandEntries(): readonly Entry[] {
  return rows.map(({ id, row, command }) => ({
    command,
    title: `%${titleKey(id)}%`,
    category: "Tinker RL",
    icon: row.icon === undefined ? undefined : `$(${row.icon})`,
    enablement: row.needsTrust === true ? "isWorkspaceTrusted" : undefined,
  }));
}

export function menuEntries(): Readonly<Record<string, readonly Entry[]>> {
  const menus = new Map<MenuId | "commandPalette", Entry[]>();
  const add = (menu: MenuId | "commandPalette", entry: Entry): void => {
    menus.set(menu, [...(menus.get(menu) ?? []), entry]);
  };
  for (const { row, command } of rows) {
    const palette = paletteWhen(row);
    if (palette !== null) add("commandPalette", { command, when: palette });
    for (const { menu, when, group } of row.menus ?? []) {
      add(menu, {
        command,
        when,
        group,
      });
    }
  }
  return Object.fromEntries([...menus].sort(([a], [b]) => a.localeCompare(b)));
}

export function keybindingEntries(): readonly Entry[] {
  return rows.flatMap(({ row, command }) =>
    row.key === undefined ? [] : [{ command, ...row.key }],
  );
}

/** Command titles for `package.nls.json`. */
export function commandStrings(): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.map(({ id, row }) => [titleKey(id), row.title]));
}

/** Table of palette commands for `docs/vscode.md`. */
export function commandReference(): string {
  const offered = rows.filter(({ row }) => row.palette !== false);
  const lines = offered.map(({ row }) => `| ${row.title} | ${row.does} |`);
  return ["| Command | What it does |", "|---|---|", ...lines].join("\n");
}

function titleKey(id: string): string {
  return `command.${id}.title`;
}

/** Null if the palette always offers the command, which is VS Code's default. */
function paletteWhen({ palette }: CommandRow): string | null {
  if (palette === false) return "false";
  return palette ?? null;
}
