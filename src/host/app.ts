/** Everything heavy of the extension, put together once when it is first needed. */

import { join } from "node:path";
import * as vscode from "vscode";
import { appendCheckpoint } from "../core/runFolder/checkpointLog.ts";
import type { Redactor } from "../core/secrets/redaction/redactor.ts";
import { systemClock } from "../node/clock.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { createCatalogue } from "./catalogue/createCatalogue.ts";
import type { LazyConfigSupport } from "./catalogue/lazyConfigSupport.ts";
import { checkpointHandlers } from "./commands/checkpointHandlers.ts";
import { dashboardHandlers, openOnStart } from "./commands/dashboardHandlers.ts";
import { environmentHandlers } from "./commands/environmentHandlers.ts";
import { folderHandlers } from "./commands/folderHandlers.ts";
import type { HelpHandlers } from "./commands/help.ts";
import { LocalDemo } from "./commands/localDemo.ts";
import { showRunMenu } from "./commands/runMenu.ts";
import { startHandlers } from "./commands/startHandlers.ts";
import { steerHandlers } from "./commands/steerHandlers.ts";
import { trajectoryHandlers } from "./commands/trajectoryHandlers.ts";
import type { ConfigHandlers } from "./config/configHandlers.ts";
import type { ConfigSupport } from "./config/registerConfigSupport.ts";
import { RunDashboard } from "./dashboard/runDashboard.ts";
import { createKeys } from "./keys/createKeys.ts";
import { keySettings } from "./keys/keySettings.ts";
import { Notices } from "./notices.ts";
import { AlarmDiagnostics } from "./runs/alarmDiagnostics.ts";
import { createLaunchRequest } from "./runs/createLaunchRequest.ts";
import { launchConfig } from "./runs/launchConfig.ts";
import { LaunchStore } from "./runs/launchStore.ts";
import { RunAlarms } from "./runs/runAlarms.ts";
import { RunDiagnostics } from "./runs/runDiagnostics.ts";
import { RunFeeds } from "./runs/runFeed.ts";
import { RunFinder } from "./runs/runFinder.ts";
import { RunLabels } from "./runs/runLabels.ts";
import { runProgram } from "./runs/runProgram.ts";
import { RunSlots } from "./runs/runSlots.ts";
import { RunStore } from "./runs/runStore.ts";
import { askForSlot } from "./runs/slotQuestion.ts";
import { rememberStartedRuns } from "./runs/startedRuns.ts";
import { trainerEnvironment } from "./runs/trainerEnvironment.ts";
import { Trainings } from "./runs/trainings.ts";
import { StatusItem } from "./statusItem.ts";
import { rejoinLaunches } from "./task/rejoin.ts";
import { TaskProvider } from "./task/taskProvider.ts";
import { validateConfigFile } from "./task/validateConfigFile.ts";
import { CheckpointsView } from "./views/checkpointsView.ts";
import { EnvironmentsView } from "./views/environmentsView.ts";
import { ROLLOUT_SCHEME, RolloutDocuments } from "./views/rolloutDocuments.ts";
import { RUN_LOG_SCHEME, RunLogDocuments } from "./views/runLogDocuments.ts";
import { RunsView } from "./views/runsView.ts";
import { SavedCheckpoints } from "./views/savedCheckpoints.ts";
import { SelectedRun } from "./views/selectedRun.ts";
import { TrajectoriesView } from "./views/trajectoriesView.ts";
import type { Trees } from "./views/trees.ts";
import { WorkspaceEnvironments } from "./views/workspaceEnvironments.ts";
import { setContextKey } from "./vscode/contextKeys.ts";
import type { CommandHandlers } from "./vscode/registerCommands.ts";
import { settingOverrides } from "./vscode/settingOverrides.ts";
import { readSetting } from "./vscode/settings.ts";

export interface AppOptions {
  readonly context: vscode.ExtensionContext;
  /** Without what `redactor` has learnt. */
  readonly log: vscode.LogOutputChannel;
  readonly redactor: Redactor;
  readonly trees: Trees;
  /** What the help for configurations shows of all this. */
  readonly lazySupport: LazyConfigSupport;
  readonly config: ConfigSupport;
}

/** Handlers that are there before this part is loaded. */
export type EarlyHandlers = ConfigHandlers & HelpHandlers;
export type LateHandlers = Omit<CommandHandlers, keyof EarlyHandlers>;

export interface App {
  readonly handlers: LateHandlers;
  readonly tasks: TaskProvider;
  readonly runs: RunStore;
}

/** Builds the parts and lets them look for runs; what they hold goes with the extension. */
export async function createApp(options: AppOptions): Promise<App> {
  const { context, log, redactor, trees, lazySupport, config } = options;
  const keep = <T extends { dispose(): unknown }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const keys = keep(createKeys({ context, log, redactor, settings: keySettings }));
  const onError = (error: unknown): void =>
    log.error(error instanceof Error ? error : String(error));
  const fileSystem = createFileSystem();
  const labels = new RunLabels({
    everywhere: context.globalState,
    workspace: context.workspaceState,
  });
  const nameOf = (folder: string): string | null => labels.nameOf(folder);
  const store = new RunStore({ fileSystem, clock: systemClock, nameOf, onError });
  const feeds = new RunFeeds({ store, fileSystem, onError });
  keep({ dispose: () => feeds.close() });
  keep({ dispose: () => store.close() });
  const finder = keep(new RunFinder({ store, labels, onError }));

  const storage = context.globalStorageUri.fsPath;
  const programFolder = join(context.extensionPath, "dist", "trainer");
  const launches = new LaunchStore(join(storage, "launches"));
  const trainings = new Trainings({
    launcher: {
      launches,
      programFolder,
      copiesFolder: join(storage, "trainer"),
      environment: trainerEnvironment,
    },
    slots: new RunSlots({
      maxParallel: () => readSetting("run.maxParallel"),
      choose: askForSlot,
    }),
    launchRequest: (request) => createLaunchRequest(keys, request),
    recoverFromLaunchError: async (error, request) => {
      const config = await launchConfig(request);
      return config !== null && (await keys.recoverFromLaunchError(error, config.project));
    },
    onError,
  });
  const tasks = new TaskProvider({
    configs: async () => {
      await finder.find();
      return finder.configs;
    },
    openTraining: (request, launch) =>
      trainings.open(request, launch === null ? null : launches.folder(launch)),
    validate: validateConfigFile,
    settingOverrides: (path) => settingOverrides(vscode.Uri.file(path)),
  });
  const services = keep(createCatalogue({ context, keys, store, finder, fileSystem, onError }));
  keep(lazySupport.use(services.loaded));
  keep(new RunDiagnostics({ trainings, onError }));
  const alarms = keep(new RunAlarms({ store, feeds, onError }));
  keep(new AlarmDiagnostics({ store, alarms, onError }));

  const runIdOf = (folder: string): string => store.get(folder)?.file?.runId ?? "";
  const saved = new SavedCheckpoints({ fileSystem, runIdOf });
  const readSaved = (folder: string) => saved.read(folder);
  const runsView = keep(new RunsView({ store, trainings, labels }));
  const trajectories = keep(
    new TrajectoriesView({
      ...{ feeds, onError },
      isLive: (folder) => store.get(folder)?.isLive === true,
      report: (message) => {
        trees.trajectories.view.message = message;
      },
    }),
  );
  const checkpointsView = keep(new CheckpointsView({ store, read: readSaved }));
  keep(trees.runs.tree.use(runsView));
  keep(trees.trajectories.tree.use(trajectories));
  keep(trees.checkpoints.tree.use(checkpointsView));
  const named = keep(
    new WorkspaceEnvironments({
      configs: () => finder.configs,
      onDidChangeConfigs: finder.onDidFind,
    }),
  );
  const environments = keep(
    new EnvironmentsView({
      catalogue: services.catalogue,
      named: named.names,
      onDidChangeNamed: named.onDidChange,
    }),
  );
  keep(trees.environments.tree.use(environments));
  keep(
    trees.environments.view.onDidExpandElement(({ element }) => {
      environments.expanded(element).catch(onError);
    }),
  );
  const selectedRun = keep(new SelectedRun({ ...{ store, feeds, trajectories, onError }, trees }));
  keep(
    vscode.workspace.registerTextDocumentContentProvider(
      ROLLOUT_SCHEME,
      new RolloutDocuments({ feeds, fileSystem }),
    ),
  );
  const logs = keep(new RunLogDocuments({ feeds, store }));
  keep(vscode.workspace.registerTextDocumentContentProvider(RUN_LOG_SCHEME, logs));
  keep(new StatusItem(store, alarms));
  const dashboard = keep(
    new RunDashboard({
      ...{ store, fileSystem },
      workspaceState: context.workspaceState,
      extensionUri: context.extensionUri,
      programFolder,
      onShown: (folder) => {
        selectedRun.choose(folder);
        void setContextKey("dashboardOpened", true);
      },
    }),
  );
  const notices = keep(
    new Notices({
      ...{ store, trainings, alarms, log },
      workspaceState: context.workspaceState,
      isDashboardVisible: () => dashboard.isVisible,
    }),
  );
  keep(
    rememberStartedRuns({ ...{ trainings, store, labels, onError }, find: () => finder.find() }),
  );
  keep(openOnStart(trainings, dashboard));
  keep(
    keys.store.onDidChange(() => {
      void keys.store.list().then((stored) => setContextKey("keyStored", stored.length > 0));
    }),
  );
  keep(
    trainings.onDidChange(() => {
      const begun = trainings.active.filter(({ folder }) => folder !== null);
      if (begun.length > 0) void setContextKey("trainingStarted", true);
      if (begun.some(({ request }) => request.resume !== null))
        void setContextKey("runResumed", true);
    }),
  );
  keep(finder.onDidFind(() => config.refresh()));
  keep(
    store.onDidChange((folder) => {
      // A report of one run changes neither the number of runs nor which are live.
      if (folder !== null) return;
      const live = store.runs.filter(({ isLive }) => isLive).length;
      void setContextKey("running", live);
      void setContextKey("hasRuns", store.runs.length > 0);
      trees.runs.view.badge =
        live === 0
          ? undefined
          : {
              value: live,
              tooltip:
                live === 1
                  ? vscode.l10n.t("1 run under way")
                  : vscode.l10n.t("{0} runs under way", live),
            };
    }),
  );

  const demo = new LocalDemo(context.globalState);
  const chosen = { store, labels, finder };
  const handlers: LateHandlers = {
    ...keys.handlers,
    ...environmentHandlers({ view: environments, catalogue: services.catalogue }),
    ...steerHandlers(chosen),
    ...folderHandlers({
      ...chosen,
      fileSystem,
      view: runsView,
      open: (folder) => dashboard.open(folder),
    }),
    ...startHandlers({ ...chosen, tasks, demo }),
    ...trajectoryHandlers({
      trajectories,
      view: trees.trajectories.view,
      open: ({ folder, source, step, group, rollout }) =>
        dashboard.open(folder, { target: { source, step, rollout: { group, rollout } } }),
      follow: (isFollowing) => selectedRun.follow(isFollowing),
    }),
    ...checkpointHandlers({
      ...{ store, tasks, view: checkpointsView, read: readSaved },
      removal: {
        ...{ fileSystem, now: Date.now },
        append: async (folder, entry) => {
          const own = createFileSystem();
          await appendCheckpoint(own.within(folder), folder, entry).finally(() => own.close());
        },
        removeLocal: (paths) =>
          runProgram(programFolder, ["checkpoints", "delete", "--local", "--", ...paths]),
        removeHosted: async (path) =>
          (await import("./catalogue/lookUps.ts")).deleteHostedCheckpoint(path, services.lookUps),
      },
    }),
    runMenu: () => showRunMenu(store),
    ...dashboardHandlers({ ...chosen, dashboard, view: trees.runs.view }),
  };
  // A failed first search must not keep the other parts from loading.
  await finder.find().catch(onError);
  const isAttached = (pid: number): boolean => store.isAttached(pid);
  const rejoin = (): void => {
    // It takes seconds to find out whether another window is gone.
    rejoinLaunches({ launches, tasks, isAttached, log }).catch(onError);
  };
  // In Restricted Mode, a task would make VS Code ask for trust without a reason that the user could see.
  if (vscode.workspace.isTrusted) rejoin();
  else keep(vscode.workspace.onDidGrantWorkspaceTrust(rejoin));
  dashboard.reviveAfterCrash();
  notices.offerInterrupted();
  if (await demo.takePending()) void vscode.commands.executeCommand("tinkerRL.startLocalDemo");
  return { handlers, tasks, runs: store };
}
