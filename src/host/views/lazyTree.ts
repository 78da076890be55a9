/** A tree that is filled by code of the extension which loads when the tree is first looked at. */

import * as vscode from "vscode";

/** What fills a tree; every row is drawn by its own provider. */
export interface Tree<Row> extends vscode.TreeDataProvider<Row> {
  readonly onDidChangeTreeData: vscode.Event<Row | undefined>;
}

export class LazyTree<Row> implements Tree<Row> {
  readonly #load: () => Promise<unknown>;
  readonly #changes = new vscode.EventEmitter<Row | undefined>();
  #tree: Tree<Row> | null = null;

  readonly onDidChangeTreeData = this.#changes.event;

  /** `load` must lead to {@link use}. */
  constructor(load: () => Promise<unknown>) {
    this.#load = load;
  }

  /** From now on the tree is what `tree` says. */
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

  /** Only rows without one are revealed. */
  getParent(): undefined {}

  resolveTreeItem(
    item: vscode.TreeItem,
    row: Row,
    token: vscode.CancellationToken,
  ): vscode.ProviderResult<vscode.TreeItem> {
    return this.#tree?.resolveTreeItem?.(item, row, token) ?? item;
  }
}
