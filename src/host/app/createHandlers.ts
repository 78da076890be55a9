/** Creates the handlers of all commands except those that exist before the app is loaded. */

import type * as vscode from "vscode";
import { appendCheckpoint } from "../../core/runFolder/checkpointLog.ts";
import { type ClosableFileSystem, createFileSystem } from "../../node/fileSystem.ts";
import { RunRecord } from "../../node/runRecord.ts";
import type { EnvironmentLists } from "../catalogue/environmentLists.ts";
import { chatPanels } from "../chat/chatPanels.ts";
import type { CheckpointChangeOptions } from "../commands/changeCheckpoint.ts";
import { chatHandlers } from "../commands/chatHandlers.ts";
import { checkpointHandlers } from "../commands/checkpointHandlers.ts";
import { changeWeights } from "../commands/checkpointRequests.ts";
import { dashboardHandlers } from "../commands/dashboardHandlers.ts";
import { dataHandlers } from "../commands/dataHandlers.ts";
import { environmentHandlers } from "../commands/environmentHandlers.ts";
import { folderHandlers } from "../commands/folderHandlers.ts";
import type { helpHandlers } from "../commands/helpHandlers.ts";
import type { LocalDemo } from "../commands/localDemo.ts";
import { newEnvironmentHandlers } from "../commands/newEnvironment.ts";
import { playAndCheckHandlers, runningOverrides } from "../commands/playAndCheckHandlers.ts";
import { promptHandlers } from "../commands/promptHandlers.ts";
import { reportHandlers } from "../commands/reportHandlers.ts";
import { runListHandlers } from "../commands/runListHandlers.ts";
import { showRunMenu } from "../commands/runMenu.ts";
import { runsTableHandlers } from "../commands/runsTableHandlers.ts";
import { startHandlers } from "../commands/startHandlers.ts";
import { steerHandlers } from "../commands/steerHandlers.ts";
import { trajectoryHandlers } from "../commands/trajectoryHandlers.ts";
import type { ConfigSupport } from "../config/registerConfigSupport.ts";
import type { RunDashboard } from "../dashboard/runDashboard.ts";
import type { RunsTable } from "../dashboard/runsTable.ts";
import type { Keys } from "../keys/createKeys.ts";
import { playPanels } from "../play/playPanels.ts";
import type { EnvironmentChecks } from "../runs/environmentChecks.ts";
import type { OwnServers } from "../runs/ownServers.ts";
import type { Server } from "../server/server.ts";
import type { Trees } from "../views/trees.ts";
import type { Register } from "../vscode/register.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import type { Runs } from "./createRuns.ts";
import type { Views } from "./createViews.ts";

/** Handlers that exist before the app is loaded. */
export type EarlyHandlers = ConfigSupport["handlers"] & ReturnType<typeof helpHandlers>;
export type LateHandlers = Omit<CommandHandlers, keyof EarlyHandlers>;

/** What commands act on. */
export interface HandlersOptions extends Runs, Views {
  readonly servers: OwnServers;
  readonly checks: EnvironmentChecks;
  readonly trees: Trees;
  readonly catalogue: EnvironmentLists;
  readonly dashboard: RunDashboard;
  readonly table: RunsTable;
  readonly keys: Keys;
  readonly demo: LocalDemo;
  readonly fileSystem: ClosableFileSystem;
  readonly server: Server;
  readonly extensionUri: vscode.Uri;
  readonly programFolder: string;
  /** Cache for files of examples; it does not need to exist. */
  readonly examplesFolder: string;
  readonly register: Register;
  /** Shows the run in a folder. */
  readonly open: (folder: string) => void;
}

export function createHandlers(options: HandlersOptions): LateHandlers {
  const { dashboard, keys, register, servers, server, store } = options;
  const all = {
    ...options,
    tree: options.trees.runs.view,
    shownFolder: () => dashboard.folder,
    changes: changes(options),
    panels: register(chatPanels(options)),
    plays: register(
      playPanels({
        ...options,
        overrides: (environment) => runningOverrides(servers, environment),
      }),
    ),
  };
  return {
    ...keys.handlers,
    ...environmentHandlers(all),
    ...newEnvironmentHandlers(server),
    ...playAndCheckHandlers(all),
    ...steerHandlers(all),
    ...folderHandlers(all),
    ...runListHandlers(all),
    ...startHandlers(all),
    ...trajectoryHandlers(all),
    ...checkpointHandlers(all),
    ...chatHandlers(all),
    ...dashboardHandlers(all),
    ...dataHandlers(all),
    ...runsTableHandlers(all),
    ...reportHandlers(all),
    ...promptHandlers(all),
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
