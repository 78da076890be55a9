/** Finds an unused file name for a new configuration that the default patterns match. */

import * as vscode from "vscode";
import { isTaken } from "../vscode/isThere.ts";

const MAX_NUMBER = 100;

/** `tinker-config.yaml`, else `local.tinker.yaml`, `local-2.tinker.yaml` … in `folder`. */
export async function freeConfigName(folder: vscode.Uri, kind: string): Promise<vscode.Uri> {
  const names = ["tinker-config.yaml", `${kind}.tinker.yaml`];
  for (let number = 2; number <= MAX_NUMBER; number++) names.push(`${kind}-${number}.tinker.yaml`);
  for (const name of names) {
    const uri = vscode.Uri.joinPath(folder, name);
    if (!(await isTaken(uri))) return uri;
  }
  return vscode.Uri.joinPath(folder, `${kind}.tinker.yaml`);
}
