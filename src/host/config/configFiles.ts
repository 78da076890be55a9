/** Which documents are configurations: by name, or by a modeline in the first lines. */

import type * as vscode from "vscode";
import { isConfigName as fitsName, hasModeline } from "../../shared/configNames.ts";
import { readSetting } from "../vscode/settings.ts";

/** Number of lines that may contain the modeline. */
export const FIRST_LINES = 5;
const LANGUAGES: ReadonlySet<string> = new Set(["yaml", "json", "jsonc"]);

export function isConfigDocument(document: vscode.TextDocument): boolean {
  if (isConfigName(document.uri)) return true;
  if (!LANGUAGES.has(document.languageId)) return false;
  const count = Math.min(FIRST_LINES, document.lineCount);
  return hasModeline(Array.from({ length: count }, (_, line) => document.lineAt(line).text));
}

/** True if the base name matches the setting `tinkerRL.config.files`. */
export function isConfigName(uri: vscode.Uri): boolean {
  return fitsName(uri.path, readSetting("config.files", uri));
}
