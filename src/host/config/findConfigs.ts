/** The configurations of the workspace, open or not. */

import * as vscode from "vscode";
import { readSetting } from "../vscode/settings.ts";
import { isConfigName } from "./configFiles.ts";

const MAX_CONFIGS = 20;
/** Files that the search may find before their names are compared with the patterns. */
const MAX_FOUND = 1_000;
/** Folders that hold other people's configurations. */
const EXCLUDED = "**/{node_modules,.git,.venv,venv,dist,out}/**";

/** At most twenty, in the order of their paths. */
export async function findConfigs(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(configGlob(), EXCLUDED, MAX_FOUND);
  return found
    .filter(isConfigName)
    .toSorted((a, b) => a.path.localeCompare(b.path))
    .slice(0, MAX_CONFIGS);
}

/** Matches all files whose names make them configurations, and some others, in time that is linear in the name. */
export function configGlob(): string {
  return `**/{${readSetting("config.files").map(coarseGlob).join(",")}}`;
}

/**
 * One star at most: VS Code turns globs into regular expressions, whose time grows with the length of the name to the power of the number of
 * stars. One `?` for each character that means something else in a glob than in the setting.
 */
function coarseGlob(pattern: string): string {
  const [first = "", ...others] = pattern.replace(/[?{}[\],\\/!]/g, "?").split("*");
  return others.length === 0 ? first : `${first}*${others.at(-1)}`;
}
