/** The trees of the side bar. */

import type * as vscode from "vscode";
import type { CheckpointNode } from "./checkpointsView.ts";
import type { EnvironmentNode } from "./environmentsView.ts";
import type { LazyTree } from "./lazyTree.ts";
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
