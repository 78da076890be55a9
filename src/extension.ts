/** The extension's composition root: builds the parts, joins them, and gives them back when the editor is done. */

import * as vscode from "vscode";
import { helpHandlers } from "./host/commands/help.ts";
import { registerCommands } from "./host/commands/registerCommands.ts";

/** What `activate` returns, for tests and other extensions. */
export interface TinkerRlApi {
  /** How long `activate` took, in milliseconds. */
  readonly activateMs: number;
}

const VIEWS = ["runs", "trajectories", "checkpoints", "environments"];

/** A view needs something that fills it before VS Code shows its welcome text. */
const NO_ROWS: vscode.TreeDataProvider<never> = {
  getChildren: () => [],
  getTreeItem: (row) => row,
};

export function activate(context: vscode.ExtensionContext): TinkerRlApi {
  const startedAt = performance.now();
  const log = vscode.window.createOutputChannel("Tinker RL", { log: true });
  context.subscriptions.push(
    log,
    registerCommands({ ...helpHandlers({ log }) }, log),
    ...VIEWS.map((view) =>
      vscode.window.createTreeView(`tinkerRL.${view}`, { treeDataProvider: NO_ROWS }),
    ),
  );
  const activateMs = performance.now() - startedAt;
  log.info(`ready after ${activateMs.toFixed(1)} ms`);
  return { activateMs };
}
