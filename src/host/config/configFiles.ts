/** Which documents are configurations of ours: by their name, or by a first line that says so. */

import type * as vscode from "vscode";
import { isConfigName as fitsName, saysConfig } from "../../shared/configNames.ts";
import { readSetting } from "../vscode/settings.ts";

/** One of them may say that a file is a configuration. */
export const FIRST_LINES = 5;
const LANGUAGES: ReadonlySet<string> = new Set(["yaml", "json", "jsonc"]);

export function isConfigDocument(document: vscode.TextDocument): boolean {
  if (isConfigName(document.uri)) return true;
  if (!LANGUAGES.has(document.languageId)) return false;
  const count = Math.min(FIRST_LINES, document.lineCount);
  return saysConfig(Array.from({ length: count }, (_, line) => document.lineAt(line).text));
}

/** True when the base name fits the setting `tinkerRL.config.files`. */
export function isConfigName(uri: vscode.Uri): boolean {
  return fitsName(uri.path, readSetting("config.files", uri));
}
