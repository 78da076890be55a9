/** Which files are configurations: by name, or by a modeline in the first lines. */

import * as vscode from "vscode";
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

const MAX_CONFIGS = 20;
/** Maximum number of files found before their names are matched against the patterns. */
const MAX_FOUND = 1_000;
/** Folders with other people's configurations. */
const EXCLUDED = "**/{node_modules,.git,.venv,venv,dist,out}/**";

/** At most twenty, sorted by path. */
export async function findConfigs(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(configGlob(), EXCLUDED, MAX_FOUND);
  return found
    .filter(isConfigName)
    .toSorted((a, b) => a.path.localeCompare(b.path))
    .slice(0, MAX_CONFIGS);
}

/** Matches all files whose names make them configurations, and some others, in linear time. */
export function configGlob(): string {
  return `**/{${readSetting("config.files").map(coarseGlob).join(",")}}`;
}

/**
 * Keeps at most one star: VS Code converts globs to regular expressions, whose time is polynomial in the name's length, with the number of
 * stars as exponent. Characters that have a different meaning in globs than in the setting become `?`.
 */
function coarseGlob(pattern: string): string {
  const [first = "", ...others] = pattern.replace(/[?{}[\],\\/!]/g, "?").split("*");
  return others.length === 0 ? first : `${first}*${others.at(-1)}`;
}
