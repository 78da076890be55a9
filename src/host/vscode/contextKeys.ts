/** Sets context keys, which menus and welcome texts depend on; the only place that does. */

import * as vscode from "vscode";
import type { ContextKeys } from "../manifest/contextKeyTable.ts";

/** Sets a context key for all when clauses in this window. */
export function setContextKey<Key extends keyof ContextKeys>(
  key: Key,
  value: ContextKeys[Key],
): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", `tinkerRL.${key}`, value);
}
