/** The run that the views show: the one selected in Runs, or else a live one, or else the newest. */

import * as vscode from "vscode";
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

export function createSelectedRun({ store, trajectories, trees, onError }: SelectedRunOptions) {
  const { view } = trees.trajectories;
  let chosen: string | null = null;
  let isFollowing = false;
  let latestStep: string | null = null;
  const update = (): void => {
    const run =
      (chosen === null ? null : store.get(chosen)) ??
      store.runs.find(({ isLive }) => isLive) ??
      store.runs[0] ??
      null;
    trajectories.show(run?.folder ?? null);
    view.description = run === null ? "" : plainLine(run.name);
  };
  const choose = (folder: string): void => {
    chosen = folder;
    update();
  };
  const revealLatest = async (): Promise<void> => {
    const node = isFollowing ? await trajectories.latest() : null;
    const key = JSON.stringify(node);
    if (node === null || key === latestStep || !view.visible) return;
    latestStep = key;
    await view.reveal(node, { select: false, focus: false, expand: true });
  };
  const listening = vscode.Disposable.from(
    store.onDidChange(update),
    trees.runs.view.onDidChangeSelection(({ selection }) => {
      const folder = selection.find((node) => node.kind === "run")?.folder;
      if (folder !== undefined) choose(folder);
    }),
    trajectories.onDidChangeTreeData(() => void revealLatest().catch(onError)),
  );
  update();
  return {
    /** Switches the views to a run. */
    choose,
    /** Starts or stops keeping the newest step visible. */
    follow: (isWanted: boolean): void => {
      isFollowing = isWanted;
      latestStep = null;
      revealLatest().catch(onError);
    },
    dispose: (): void => void listening.dispose(),
  };
}

export type SelectedRun = ReturnType<typeof createSelectedRun>;
