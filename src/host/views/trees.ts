/** The trees of the side bar. */

import * as vscode from "vscode";
import type { CheckpointNode } from "./checkpointsView.ts";
import type { EnvironmentNode } from "./environmentsView.ts";
import type { RunNode } from "./runsView.ts";
import type { TrajectoryNode } from "./trajectoriesView.ts";

type TreePlace<Row> = ReturnType<typeof treePlace<Row>>;

export interface Trees {
  readonly runs: TreePlace<RunNode>;
  readonly trajectories: TreePlace<TrajectoryNode>;
  readonly checkpoints: TreePlace<CheckpointNode>;
  readonly environments: TreePlace<EnvironmentNode>;
}

/** The content of a tree. */
interface Tree<Row> extends vscode.TreeDataProvider<Row> {
  readonly onDidChangeTreeData: vscode.Event<Row | undefined>;
}

/** A tree and the view that shows it; `load` must result in a call to the tree's `use`. */
export function treePlace<Row>(name: string, load: () => Promise<unknown>) {
  const tree = lazyTree<Row>(load);
  const view = vscode.window.createTreeView<Row>(`tinkerRL.${name}`, {
    treeDataProvider: tree,
    // Only the Runs view has commands for several rows.
    canSelectMany: name === "runs",
  });
  return { tree, view };
}

function lazyTree<Row>(load: () => Promise<unknown>) {
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
