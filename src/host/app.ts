/** Assembles the heavy parts of the extension once, when they are first needed. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { KEY_REQUESTS } from "../api/keys.ts";
import { PAGE_ORDER, type PageOrder } from "../api/pages.ts";
import type { Redactor } from "../core/secrets/redaction/redactor.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { createHandlers } from "./app/createHandlers.ts";
import { createRuns, type Runs } from "./app/createRuns.ts";
import { createViews } from "./app/createViews.ts";
import { updateContextKeys } from "./app/updateContextKeys.ts";
import { createCatalogue } from "./catalogue/createCatalogue.ts";
import { localDemo } from "./commands/localDemo.ts";
import type { LazyConfigSources } from "./config/configSources.ts";
import type { ConfigSupport } from "./config/registerConfigSupport.ts";
import { openOnStart } from "./dashboard/openOnStart.ts";
import { doForPage } from "./dashboard/pageOrders.ts";
import { RunDashboard } from "./dashboard/runDashboard.ts";
import { createRunsTable } from "./dashboard/runsTable.ts";
import { createWindowPages } from "./dashboard/windowPages.ts";
import { createKeys } from "./keys/createKeys.ts";
import { commandName } from "./manifest/commandTable.ts";
import { Notices } from "./notices.ts";
import { AlarmDiagnostics } from "./runs/alarmDiagnostics.ts";
import { createLaunchRequest, requestFor } from "./runs/createLaunchRequest.ts";
import { EnvironmentChecks } from "./runs/environmentChecks.ts";
import { OwnServers } from "./runs/ownServers.ts";
import { followAlarms } from "./runs/runAlarms.ts";
import { RunDiagnostics } from "./runs/runDiagnostics.ts";
import { rememberStartedRuns } from "./runs/startedRuns.ts";
import { keepWaitingStarts, takeWaitingStarts } from "./runs/waitingStarts.ts";
import type { Server } from "./server/server.ts";
import { createStatusItem } from "./statusItem.ts";
import { rejoinLaunches } from "./task/rejoin.ts";
import { createChatTools } from "./tools/chatTools.ts";
import { mcpVariables } from "./tools/mcpVariables.ts";
import type { Trees } from "./views/trees.ts";
import { setContextKey } from "./vscode/contextKeys.ts";
import type { Register } from "./vscode/register.ts";
import { settingOverrides } from "./vscode/settings.ts";

export interface AppOptions {
  readonly context: vscode.ExtensionContext;
  /** Holds the trainer's program. */
  readonly programFolder: string;
  /** Redacted with `redactor`. */
  readonly log: vscode.LogOutputChannel;
  readonly redactor: Redactor;
  readonly trees: Trees;
  /** True when the editor has restored a dashboard, as after a reload; after a crash of the extension host it restores none. */
  readonly isRestored: () => boolean;
  /** Data from the app for the configuration features. */
  readonly sources: LazyConfigSources;
  readonly server: Server;
  readonly config: ConfigSupport;
}

export type App = Awaited<ReturnType<typeof createApp>>;

/** Assembles the app and starts looking for runs; everything is disposed of with the extension. */
export async function createApp(options: AppOptions) {
  const { context, programFolder, log, redactor, trees, sources, server } = options;
  const { workspaceState, extensionUri } = context;
  const register: Register = (disposable) => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const onError = (error: unknown): void =>
    log.error(error instanceof Error ? error : String(error));
  const storageFolder = (context.storageUri ?? context.globalStorageUri).fsPath;
  const fileSystem = createFileSystem();
  const keys = register(
    createKeys({
      context,
      log,
      redactor,
      testKey: (request) => server.request(KEY_REQUESTS.test, request),
    }),
  );
  const servers = register(
    new OwnServers({
      server,
      createLaunchRequest: ({ name, config }) =>
        createLaunchRequest(keys, requestFor(config), {
          only: { environment: name, isSampled: false },
        }),
      onError,
    }),
  );
  const checks = new EnvironmentChecks({
    folder: storageFolder,
    memory: workspaceState,
    server,
    readText: (path) => readFile(path, "utf8").catch(() => null),
    overrides: (path) => settingOverrides(vscode.Uri.file(path)),
    onError,
  });
  const onStart = (config: string): Promise<void> => servers.stopForTraining(config);
  const runs = createRuns({
    context,
    programFolder,
    keys,
    server,
    fileSystem,
    register,
    log,
    onError,
    onStart,
  });
  const { store, trainings, finder, labels, follow } = runs;
  const services = register(createCatalogue({ keys, finder, server, onError }));
  register(sources.use(services.loaded));
  register(new RunDiagnostics({ trainings, onError }));
  const alarms = register(followAlarms({ store, follow, onError }));
  register(new AlarmDiagnostics({ store, alarms, onError }));
  register(createStatusItem(store, alarms));
  const { catalogue } = services;
  const parts = { trees, catalogue, servers, checks, server, fileSystem, register, onError };
  const views = createViews({ ...parts, runs, alarms });
  const onShown = (folder: string): void => {
    views.selectedRun.choose(folder);
    void setContextKey("dashboardOpened", true);
  };
  const pages = register(
    createWindowPages({
      store,
      finder,
      server,
      workspaceState,
      storageUri: context.storageUri,
      extensionUri,
      onError,
    }),
  );
  const dashboard = register(new RunDashboard({ pages, store, workspaceState, onShown }));
  const table = register(createRunsTable(pages));
  const open = (folder: string): void => dashboard.open(folder);
  server.handle(PAGE_ORDER, (order: PageOrder) => doForPage(order, { store, fileSystem, open }));
  const notices = register(
    new Notices({
      store,
      labels,
      trainings,
      alarms,
      workspaceState,
      fileSystem,
      dashboard,
      log,
    }),
  );
  register(rememberStartedRuns({ trainings, store, labels, finder, onError }));
  register(openOnStart(trainings, dashboard));
  const { saved } = views;
  const { view } = trees.runs;
  register(updateContextKeys({ keys: keys.store, trainings, store, alarms, labels, saved, view }));
  register(finder.onDidFind(() => options.config.refresh()));
  const demo = localDemo(context.globalState);
  const handlers = createHandlers({
    ...parts,
    ...runs,
    ...views,
    dashboard,
    table,
    keys,
    demo,
    extensionUri,
    programFolder,
    examplesFolder: join(storageFolder, "examples"),
    open,
  });
  // A failed first search must not keep the app from loading.
  await finder.find().catch(onError);
  await setContextKey("searched", true);
  if (!options.isRestored()) dashboard.reviveAfterCrash();
  const waited = await takeWaitingStarts(workspaceState);
  register(keepWaitingStarts(trainings, workspaceState));
  whenTrusted(register, () => {
    rejoin(runs, log);
    notices.offerWaiting(waited);
    notices.offerInterrupted();
  });
  if (await demo.takePending()) {
    whenTrusted(register, () => void vscode.commands.executeCommand(commandName("startLocalDemo")));
  }
  const tools = createChatTools({ store, finder, fileSystem, redactor, now: Date.now });
  return {
    handlers,
    tasks: runs.tasks,
    runs: store,
    tools,
    dashboard,
    table,
    /** Keys and addresses for an MCP server that starts runs. */
    mcpVariables: () => mcpVariables(keys),
  };
}

function rejoin({ launches, tasks, store }: Runs, log: vscode.LogOutputChannel): void {
  const isAttached = (pid: number): boolean =>
    store.runs.some(({ file, status }) => status !== null && file?.pid === pid);
  // Not awaited, because a request to a closed window takes seconds to fail.
  rejoinLaunches({ launches, tasks, isAttached, log }).catch((error: unknown) =>
    log.error(String(error)),
  );
}

/** Runs `work` now or, in Restricted Mode, once the folder is trusted: a task would make VS Code ask for trust for no visible reason. */
function whenTrusted(register: Register, work: () => void): void {
  if (vscode.workspace.isTrusted) work();
  else register(vscode.workspace.onDidGrantWorkspaceTrust(work));
}
