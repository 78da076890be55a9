/** Reads and changes settings; the only place that asks VS Code for them. */

import * as vscode from "vscode";
import {
  SETTING_SECTIONS,
  type SettingKey,
  type SettingRow,
  type SettingValue,
} from "../manifest/settingsTable.ts";

/**
 * The value of a setting, for `scope` if folders may differ. A settings file may contain anything; values that do not match the table count
 * as not set.
 */
export function readSetting<Key extends SettingKey>(
  key: Key,
  scope?: vscode.Uri,
): SettingValue<Key> {
  const row = rowOf(key);
  const value: unknown = vscode.workspace.getConfiguration("tinkerRL", scope).get(key);
  return (fits(row, value) ? value : row.default) as SettingValue<Key>; // `fits` checked it against the row that the type is made of
}

/** Sets a setting for all windows of the user. */
export function changeSetting<Key extends SettingKey>(
  key: Key,
  value: SettingValue<Key>,
): Thenable<void> {
  const { Global } = vscode.ConfigurationTarget;
  return vscode.workspace.getConfiguration("tinkerRL").update(key, value, Global);
}

/** Names of the settings that have been set, without values. */
export function changedSettings(): readonly string[] {
  const settings = vscode.workspace.getConfiguration("tinkerRL");
  return SETTING_SECTIONS.flatMap((section) => Object.keys(section.settings)).filter((key) => {
    const found = settings.inspect(key);
    const values = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
    return values.some((value) => value !== undefined);
  });
}

/** Calls `then` whenever one of `keys` may have changed, in any scope. */
export function onSettingChange(keys: readonly SettingKey[], then: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (keys.some((key) => change.affectsConfiguration(`tinkerRL.${key}`))) then();
  });
}

function rowOf(key: string): SettingRow {
  const row = SETTING_SECTIONS.map(({ settings }) => settings[key]).find(Boolean);
  if (row === undefined) throw new Error(`There is no setting ${key}.`);
  return row;
}

function fits(row: SettingRow, value: unknown): boolean {
  switch (row.type) {
    case "boolean":
    case "string":
      return typeof value === row.type;
    case "number":
    case "integer":
      return isInRange(row, value);
    case "enum":
      return typeof value === "string" && Object.hasOwn(row.values, value);
    case "words":
      return Array.isArray(value) && value.every((word) => typeof word === "string");
    case "map":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return row satisfies never;
  }
}

function isInRange(row: Extract<SettingRow, { minimum: number }>, value: unknown): boolean {
  if (typeof value !== "number" || !(value >= row.minimum)) return false;
  if (row.maximum !== undefined && value > row.maximum) return false;
  return row.type === "number" || Number.isInteger(value);
}

/** Each `key=value`; strings are YAML, as on the command line. Empty in Restricted Mode. */
export function settingOverrides(config: vscode.Uri): readonly string[] {
  if (!vscode.workspace.isTrusted) return [];
  return Object.entries(readSetting("overrides", config)).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}
