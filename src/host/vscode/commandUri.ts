/** Links that run a command. */

import * as vscode from "vscode";

/** `args` are JSON. */
export function commandUri(command: string, ...args: readonly unknown[]): vscode.Uri {
  const query = args.length === 0 ? "" : `?${encodeURIComponent(JSON.stringify(args))}`;
  return vscode.Uri.parse(`command:${command}${query}`);
}
