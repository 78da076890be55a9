/** A tree whose content comes from code that is loaded when the tree is first viewed. */

import * as vscode from "vscode";

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
