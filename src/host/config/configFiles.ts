/** Which documents are configurations of ours: by their name, or by a first line that says so. */

import type * as vscode from "vscode";
import { fitsWildcard } from "../../core/util/wildcard.ts";
import { readSetting } from "../vscode/settings.ts";

/** A comment such as `# tinker-rl: config` among the first lines. */
const MODELINE = /^\s*#\s*tinker-rl:\s*config\b/;
const MODELINE_LINES = 5;
const LANGUAGES: ReadonlySet<string> = new Set(["yaml", "json", "jsonc"]);

export function isConfigDocument(document: vscode.TextDocument): boolean {
  if (isConfigName(document.uri)) return true;
  if (!LANGUAGES.has(document.languageId)) return false;
  const count = Math.min(MODELINE_LINES, document.lineCount);
  return Array.from({ length: count }, (_, line) => document.lineAt(line).text).some((text) =>
    MODELINE.test(text),
  );
}

/** True when the base name fits the setting `tinkerRL.config.files`. */
export function isConfigName(uri: vscode.Uri): boolean {
  const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
  return readSetting("config.files", uri).some((pattern) => fitsWildcard(name, pattern));
}
