/** Creates the handlers of all commands except those that exist before the app is loaded. */

import type * as vscode from "vscode";
import { appendCheckpoint } from "../../core/runFolder/checkpointLog.ts";
import { type ClosableFileSystem, createFileSystem } from "../../node/fileSystem.ts";
import { RunRecord } from "../../node/runRecord.ts";
import type { CatalogueServices } from "../catalogue/createCatalogue.ts";
import { ChatPanels } from "../chat/chatPanels.ts";
import type { CheckpointChangeOptions } from "../commands/changeCheckpoint.ts";
import { chatHandlers } from "../commands/chatHandlers.ts";
import { checkpointHandlers } from "../commands/checkpointHandlers.ts";
import { changeWeights } from "../commands/checkpointRequests.ts";
import { dashboardHandlers } from "../commands/dashboardHandlers.ts";
import { dataHandlers } from "../commands/dataHandlers.ts";
import { environmentHandlers } from "../commands/environmentHandlers.ts";
import { environmentProgramHandlers, runningOverrides } from "../commands/environmentPrograms.ts";
import { reportHandlers } from "../commands/exportReport.ts";
import { folderHandlers } from "../commands/folderHandlers.ts";
import type { helpHandlers } from "../commands/help.ts";
import type { LocalDemo } from "../commands/localDemo.ts";
import { newEnvironmentHandlers } from "../commands/newEnvironment.ts";
import { promptHandlers } from "../commands/promptHandlers.ts";
import { runListHandlers } from "../commands/runListHandlers.ts";
import { showRunMenu } from "../commands/runMenu.ts";
import { runsTableHandlers } from "../commands/runsTableHandlers.ts";
import { startHandlers } from "../commands/startHandlers.ts";
import { steerHandlers } from "../commands/steerHandlers.ts";
import { trajectoryHandlers } from "../commands/trajectoryHandlers.ts";
import type { ConfigSupport } from "../config/registerConfigSupport.ts";
import type { RunDashboard } from "../dashboard/runDashboard.ts";
import type { RunsPanel } from "../dashboard/runsPanel.ts";
import type { Keys } from "../keys/createKeys.ts";
import { PlayPanels } from "../play/playPanels.ts";
import type { EnvironmentChecks } from "../runs/environmentChecks.ts";
import type { OwnServers } from "../runs/ownServers.ts";
import type { Server } from "../server/server.ts";
import { DeploymentLogs } from "../views/deploymentLogs.ts";
import type { Trees } from "../views/trees.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import type { Runs } from "./createRuns.ts";
import type { Views } from "./createViews.ts";
import type { Register } from "./register.ts";

/** Handlers that exist before the app is loaded. */
export type EarlyHandlers = ConfigSupport["handlers"] & ReturnType<typeof helpHandlers>;
export type LateHandlers = Omit<CommandHandlers, keyof EarlyHandlers>;

export interface HandlersOptions {
  readonly runs: Runs;
  readonly ownServers: OwnServers;
  readonly checks: EnvironmentChecks;
  readonly views: Views;
  readonly trees: Trees;
  readonly services: CatalogueServices;
  readonly dashboard: RunDashboard;
  readonly table: RunsPanel;
  readonly keys: Keys;
  readonly demo: LocalDemo;
  readonly fileSystem: ClosableFileSystem;
  readonly server: Server;
  readonly extensionUri: vscode.Uri;
  readonly programFolder: string;
  /** Cache for files of examples; it does not need to exist. */
  readonly examplesFolder: string;
  readonly register: Register;
}

export function createHandlers(options: HandlersOptions): LateHandlers {
  const { views, trees, services, dashboard, keys, demo, fileSystem } = options;
  const { server, extensionUri, programFolder, register } = options;
  const { store, labels, finder, tasks, trainings } = options.runs;
  const tree = trees.runs.view;
  const choice = { store, labels, trainings, tree, shownFolder: () => dashboard.folder };
  const open = (folder: string): void => dashboard.open(folder);
  const panels = register(new ChatPanels({ keys, server, extensionUri }));
  const plays = register(
    new PlayPanels({
      keys,
      server,
      extensionUri,
      overrides: (environment) => runningOverrides(options.ownServers, environment),
      read: open,
    }),
  );
  return {
    ...keys.handlers,
    ...environmentHandlers({
      view: views.environments,
      tree: trees.environments.view,
      servers: options.ownServers,
      catalogue: services.environments,
      logs: register(new DeploymentLogs()),
    }),
    ...newEnvironmentHandlers(server),
    ...environmentProgramHandlers({
      store,
      programFolder,
      servers: options.ownServers,
      plays,
      checks: options.checks,
      difficulty: (name, split) => services.environments.difficulty(name, split),
    }),
    ...steerHandlers(choice),
    ...folderHandlers({ ...choice, finder, fileSystem, open }),
    ...runListHandlers({ ...choice, finder, view: views.runs }),
    ...startHandlers({ ...choice, tasks, demo, fileSystem, server }),
    ...trajectoryHandlers({
      trajectories: views.trajectories,
      view: trees.trajectories.view,
      open: ({ folder, source, step, group, rollout }) =>
        dashboard.open(folder, { target: { source, step, rollout: { group, rollout } } }),
      follow: (isFollowing) => views.selectedRun.follow(isFollowing),
    }),
    ...checkpointHandlers({
      ...choice,
      tasks,
      view: {
        refresh: () => {
          views.checkpoints.refresh();
          views.runs.redraw();
        },
      },
      read: (folder) => views.saved.read(folder),
      changes: changes(options),
      downloads: { keys, server },
    }),
    ...chatHandlers({ ...choice, panels, fileSystem, read: (folder) => views.saved.read(folder) }),
    ...dashboardHandlers({ ...choice, dashboard, server }),
    ...dataHandlers({ store, server, open, folder: options.examplesFolder }),
    ...runsTableHandlers({ store, panel: options.table, view: tree }),
    ...reportHandlers({ ...choice, server }),
    ...promptHandlers({ store, keys, server, register }),
    runMenu: (target) => showRunMenu(store, target),
  };
}

function changes({ keys, fileSystem, server }: HandlersOptions): CheckpointChangeOptions {
  return {
    fileSystem,
    now: Date.now,
    append: async (folder, entry) => {
      const own = createFileSystem();
      await appendCheckpoint(own.within(folder), folder, entry).finally(() => own.close());
    },
    isOwn: async (folder, paths) => {
      const record = await RunRecord.open(folder);
      return paths.every((path) => record.isOwn(path));
    },
    change: (place, what) => changeWeights(place, what, { keys, server }),
  };
}
