/** The configurations of the workspace, open or not. */

import * as vscode from "vscode";
import { readSetting } from "../vscode/settings.ts";

const MAX_CONFIGS = 20;
/** Folders that hold other people's configurations. */
const EXCLUDED = "**/{node_modules,.git,.venv,venv,dist,out}/**";

/** At most twenty, in the order of their paths. */
export async function findConfigs(): Promise<readonly vscode.Uri[]> {
  const glob = `**/{${configPatterns().join(",")}}`;
  const found = await vscode.workspace.findFiles(glob, EXCLUDED, MAX_CONFIGS);
  return found.toSorted((a, b) => a.path.localeCompare(b.path));
}

/** The names that make a file a configuration. */
export function configPatterns(): readonly string[] {
  return readSetting("config.files");
}
