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

export class LazyTree<Row> implements Tree<Row> {
  readonly #load: () => Promise<unknown>;
  readonly #changes = new vscode.EventEmitter<Row | undefined>();
  #tree: Tree<Row> | null = null;

  readonly onDidChangeTreeData = this.#changes.event;

  /** `load` must result in a call to {@link use}. */
  constructor(load: () => Promise<unknown>) {
    this.#load = load;
  }

  /** Shows `tree` from now on. */
  use(tree: Tree<Row>): vscode.Disposable {
    this.#tree = tree;
    this.#changes.fire(undefined);
    return tree.onDidChangeTreeData((row) => this.#changes.fire(row));
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (this.#tree === null) await this.#load();
    return (await this.#tree?.getChildren(row)) ?? [];
  }

  getTreeItem(row: Row): vscode.TreeItem | Thenable<vscode.TreeItem> {
    return this.#tree?.getTreeItem(row) ?? new vscode.TreeItem("");
  }

  /** Only top-level rows are revealed. */
  getParent(): undefined {}

  resolveTreeItem(
    item: vscode.TreeItem,
    row: Row,
    token: vscode.CancellationToken,
  ): vscode.ProviderResult<vscode.TreeItem> {
    return this.#tree?.resolveTreeItem?.(item, row, token) ?? item;
  }
}
