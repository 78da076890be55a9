/** Fills the trees of the side bar, and shows rollouts and logs as documents. */

import * as vscode from "vscode";
import type { FileSystem } from "../../core/ports.ts";
import type { EnvironmentLists } from "../catalogue/environmentLists.ts";
import type { EnvironmentChecks } from "../runs/environmentChecks.ts";
import type { OwnServers } from "../runs/ownServers.ts";
import type { RunAlarms } from "../runs/runAlarms.ts";
import type { Server } from "../server/server.ts";
import { createCheckpointsView } from "../views/checkpointsView.ts";
import { environmentLenses } from "../views/environmentLenses.ts";
import { EnvironmentsView } from "../views/environmentsView.ts";
import { ROLLOUT_SCHEME, rolloutDocuments } from "../views/rolloutDocuments.ts";
import { createRunLogDocuments, RUN_LOG_SCHEME } from "../views/runLogDocuments.ts";
import { RunsView } from "../views/runsView.ts";
import { savedCheckpoints } from "../views/savedCheckpoints.ts";
import { createSelectedRun } from "../views/selectedRun.ts";
import { TrajectoriesView } from "../views/trajectoriesView.ts";
import type { Trees } from "../views/trees.ts";
import { workspaceEnvironments } from "../views/workspaceEnvironments.ts";
import { PYTHON_FILE } from "../vscode/pythonFile.ts";
import type { Register } from "../vscode/register.ts";
import type { Runs } from "./createRuns.ts";

export interface ViewsOptions {
  readonly trees: Trees;
  readonly runs: Runs;
  readonly alarms: RunAlarms;
  readonly catalogue: EnvironmentLists;
  readonly servers: OwnServers;
  readonly checks: EnvironmentChecks;
  readonly server: Server;
  readonly fileSystem: FileSystem;
  readonly register: Register;
  readonly onError: (error: unknown) => void;
}

export type Views = ReturnType<typeof createViews>;

export function createViews(options: ViewsOptions) {
  const { trees, register, server, fileSystem, onError } = options;
  const { store, trainings, labels, follow } = options.runs;
  const runIdOf = (folder: string): string => store.get(folder)?.file?.runId ?? "";
  const saved = savedCheckpoints({ fileSystem, runIdOf });

  const runs = register(new RunsView({ store, trainings, labels, alarms: options.alarms, saved }));
  register(trees.runs.tree.use(runs));
  const trajectories = register(
    new TrajectoriesView({
      follow,
      server,
      onError,
      showMessage: (message) => {
        trees.trajectories.view.message = message;
      },
    }),
  );
  register(trees.trajectories.tree.use(trajectories));
  const checkpoints = register(createCheckpointsView({ store, saved }));
  register(trees.checkpoints.tree.use(checkpoints));
  const environments = createEnvironmentsView(options);
  const selectedRun = register(createSelectedRun({ store, trajectories, trees, onError }));
  registerDocuments(options);
  return { runsView: runs, trajectories, checkpoints, environments, selectedRun, saved };
}

function createEnvironmentsView({
  trees,
  runs: { finder },
  catalogue,
  servers,
  checks,
  register,
  onError,
}: ViewsOptions): EnvironmentsView {
  const named = register(workspaceEnvironments(finder));
  const view = register(new EnvironmentsView({ catalogue, named, servers, checks }));
  register(vscode.workspace.onDidSaveTextDocument(({ uri }) => checks.saved(uri.fsPath)));
  register(vscode.languages.registerCodeLensProvider(PYTHON_FILE, environmentLenses(named)));
  register(trees.environments.tree.use(view));
  register(
    trees.environments.view.onDidExpandElement(({ element }) => {
      view.expanded(element).catch(onError);
    }),
  );
  return view;
}

function registerDocuments({ runs: { follow }, server, register }: ViewsOptions): void {
  const rollouts = rolloutDocuments(server);
  register(vscode.workspace.registerTextDocumentContentProvider(ROLLOUT_SCHEME, rollouts));
  const logs = register(createRunLogDocuments(follow, server));
  register(vscode.workspace.registerTextDocumentContentProvider(RUN_LOG_SCHEME, logs));
}
