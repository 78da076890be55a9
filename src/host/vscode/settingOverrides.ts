/** The overrides in the setting `overrides`, for runs and configuration features. */

import * as vscode from "vscode";
import { readSetting } from "./settings.ts";

/** Each `key=value`; strings are YAML, as on the command line. Empty in Restricted Mode. */
export function settingOverrides(config: vscode.Uri): readonly string[] {
  if (!vscode.workspace.isTrusted) return [];
  return Object.entries(readSetting("overrides", config)).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}
