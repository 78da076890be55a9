/** The overrides of the setting `overrides`, as a run and the help for configurations take them. */

import * as vscode from "vscode";
import { readSetting } from "./settings.ts";

/** `key=value` each; a text is YAML, as on the command line. None in Restricted Mode. */
export function settingOverrides(config: vscode.Uri): readonly string[] {
  if (!vscode.workspace.isTrusted) return [];
  return Object.entries(readSetting("overrides", config)).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}
