/** What menus and welcome texts may ask about; the only place that sets context keys. */

import * as vscode from "vscode";
import type { ContextKeys } from "../manifest/contextKeyTable.ts";

/** Sets one context key for all when clauses of this window. */
export function setContextKey<Key extends keyof ContextKeys>(
  key: Key,
  value: ContextKeys[Key],
): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", `tinkerRL.${key}`, value);
}
