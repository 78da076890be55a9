/** The trees of the side bar. */

import * as vscode from "vscode";
import type { CheckpointNode } from "./checkpointsView.ts";
import type { EnvironmentNode } from "./environmentsView.ts";
import type { RunNode } from "./runsView.ts";
import type { TrajectoryNode } from "./trajectoriesView.ts";

/** A tree and the view that shows it. */
export interface TreePlace<Row> {
  readonly tree: LazyTree<Row>;
  readonly view: vscode.TreeView<Row>;
}

export interface Trees {
  readonly runs: TreePlace<RunNode>;
  readonly trajectories: TreePlace<TrajectoryNode>;
  readonly checkpoints: TreePlace<CheckpointNode>;
  readonly environments: TreePlace<EnvironmentNode>;
}

/** The content of a tree. */
export interface Tree<Row> extends vscode.TreeDataProvider<Row> {
  readonly onDidChangeTreeData: vscode.Event<Row | undefined>;
}

export type LazyTree<Row> = ReturnType<typeof lazyTree<Row>>;

/** `load` must result in a call to `use`. */
export function lazyTree<Row>(load: () => Promise<unknown>) {
  const changes = new vscode.EventEmitter<Row | undefined>();
  let shown: Tree<Row> | null = null;
  return {
    onDidChangeTreeData: changes.event,
    /** Shows `tree` from now on. */
    use: (tree: Tree<Row>): vscode.Disposable => {
      shown = tree;
      changes.fire(undefined);
      return tree.onDidChangeTreeData((row) => changes.fire(row));
    },
    getChildren: async (row?: Row): Promise<Row[]> => {
      if (shown === null) await load();
      return (await shown?.getChildren(row)) ?? [];
    },
    getTreeItem: (row: Row): vscode.TreeItem | Thenable<vscode.TreeItem> =>
      shown?.getTreeItem(row) ?? new vscode.TreeItem(""),
    /** Only top-level rows are revealed. */
    getParent: () => undefined,
    resolveTreeItem: (item: vscode.TreeItem, row: Row, token: vscode.CancellationToken) =>
      shown?.resolveTreeItem?.(item, row, token) ?? item,
  };
}
