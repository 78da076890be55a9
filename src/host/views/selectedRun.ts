/** The run that the views show: the one selected in Runs, or else a live one, or else the newest. */

import type * as vscode from "vscode";
import { plainLine } from "../../core/util/plainText.ts";
import type { RunList } from "../runs/runList.ts";
import type { TrajectoriesView } from "./trajectoriesView.ts";
import type { Trees } from "./trees.ts";

export interface SelectedRunOptions {
  readonly store: RunList;
  readonly trajectories: TrajectoriesView;
  readonly trees: Trees;
  readonly onError: (error: unknown) => void;
}

export class SelectedRun implements vscode.Disposable {
  readonly #options: SelectedRunOptions;
  readonly #listening: readonly { dispose(): void }[];
  #chosen: string | null = null;
  #isFollowing = false;
  #latestStep: string | null = null;

  constructor(options: SelectedRunOptions) {
    this.#options = options;
    const { store, trees, trajectories } = options;
    this.#listening = [
      store.onDidChange(() => this.#update()),
      trees.runs.view.onDidChangeSelection(({ selection }) => {
        const folder = selection.find((node) => node.kind === "run")?.folder;
        if (folder !== undefined) this.choose(folder);
      }),
      trajectories.onDidChangeTreeData(() => {
        if (this.#isFollowing) this.#revealLatest().catch(options.onError);
      }),
    ];
    this.#update();
  }

  dispose(): void {
    for (const each of this.#listening) each.dispose();
  }

  /** Switches the views to a run. */
  choose(folder: string): void {
    this.#chosen = folder;
    this.#update();
  }

  /** Starts or stops keeping the newest step visible. */
  follow(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    this.#latestStep = null;
    if (isFollowing) this.#revealLatest().catch(this.#options.onError);
  }

  #update(): void {
    const { store, trajectories, trees } = this.#options;
    const chosen = this.#chosen === null ? null : store.get(this.#chosen);
    const run = chosen ?? store.runs.find(({ isLive }) => isLive) ?? store.runs[0] ?? null;
    trajectories.show(run?.folder ?? null);
    trees.trajectories.view.description = run === null ? "" : plainLine(run.name);
  }

  async #revealLatest(): Promise<void> {
    const { trajectories, trees } = this.#options;
    const node = await trajectories.latest();
    const key = JSON.stringify(node);
    if (node === null || key === this.#latestStep || !trees.trajectories.view.visible) return;
    this.#latestStep = key;
    await trees.trajectories.view.reveal(node, { select: false, focus: false, expand: true });
  }
}
