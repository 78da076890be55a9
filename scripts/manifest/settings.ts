/** Settings of the manifest, from the settings table. */

import {
  SETTING_SECTIONS,
  type SettingRow,
  type SettingSection,
} from "../../src/host/manifest/settingsTable.ts";

type Entry = Readonly<Record<string, unknown>>;

export function configurationEntries(): readonly Entry[] {
  return SETTING_SECTIONS.map(({ title, settings }, index) => ({
    title: `%${groupKey(title)}%`,
    order: index + 1,
    properties: Object.fromEntries(
      Object.entries(settings).map(([key, row]) => [`tinkerRL.${key}`, property(key, row)]),
    ),
  }));
}

/** Settings that a folder may only set once it is trusted. */
export function restrictedSettings(): readonly string[] {
  return settingRows().flatMap(([key, row]) =>
    row.restricted === true ? [`tinkerRL.${key}`] : [],
  );
}

/** Setting descriptions for `package.nls.json`. */
export function settingStrings(): Readonly<Record<string, string>> {
  const rows = settingRows().flatMap(([key, row]): readonly [string, string][] => [
    [doesKey(key), row.does],
    ...valuesOf(row).map(([word, means]): [string, string] => [valueKey(key, word), means]),
  ]);
  const groups = SETTING_SECTIONS.map(({ title }): [string, string] => [groupKey(title), title]);
  return Object.fromEntries([...groups, ...rows]);
}

/** Tables of settings for `docs/vscode.md`. */
export function settingReference(): string {
  return SETTING_SECTIONS.map(sectionTable).join("\n\n");
}

function sectionTable({ title, settings }: SettingSection): string {
  const lines = Object.entries(settings).map(([key, row]) => {
    const words = valuesOf(row).map(([word, means]) => `\`${word}\`: ${means}`);
    const cells = [`\`tinkerRL.${key}\``, defaultText(row), [row.does, ...words].join(" ")];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return [`**${title}**`, "", "| Setting | Default | Meaning |", "|---|---|---|", ...lines].join(
    "\n",
  );
}

function defaultText(row: SettingRow): string {
  if (row.type === "words") return row.default.map((word) => `\`${word}\``).join(", ");
  return row.default === "" ? "empty" : `\`${JSON.stringify(row.default).replaceAll('"', "")}\``;
}

function property(key: string, row: SettingRow): Entry {
  return {
    ...shape(row),
    default: row.default,
    markdownDescription: `%${doesKey(key)}%`,
    enumDescriptions:
      row.type === "enum" ? valuesOf(row).map(([word]) => `%${valueKey(key, word)}%`) : undefined,
    scope: row.scope,
  };
}

function shape(row: SettingRow): Entry {
  switch (row.type) {
    case "enum":
      return { type: "string", enum: Object.keys(row.values) };
    case "words":
      return { type: "array", items: { type: "string" }, uniqueItems: true };
    case "map":
      return { type: "object" };
    case "number":
    case "integer":
      return {
        type: row.type,
        minimum: row.minimum,
        maximum: row.maximum,
      };
    default:
      return { type: row.type };
  }
}

function settingRows(): readonly (readonly [string, SettingRow])[] {
  return SETTING_SECTIONS.flatMap(({ settings }) => Object.entries(settings));
}

function valuesOf(row: SettingRow): readonly (readonly [string, string])[] {
  return row.type === "enum" ? Object.entries(row.values) : [];
}

function groupKey(title: string): string {
  return `settings.${title.split(" ")[0]?.toLowerCase()}.title`;
}

function doesKey(key: string): string {
  return `setting.${key}.does`;
}

function valueKey(key: string, word: string): string {
  return `setting.${key}.${word}`;
}
