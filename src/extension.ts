/** Entry point of the extension: registers what VS Code needs immediately, and loads the rest on first use. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { Redactor } from "./core/secrets/redaction/redactor.ts";
import type { EarlyHandlers, LateHandlers } from "./host/app/createHandlers.ts";
import type { App } from "./host/app.ts";
import { helpHandlers } from "./host/commands/helpHandlers.ts";
import { PENDING_DEMO } from "./host/commands/pendingDemo.ts";
import { LazyConfigSources } from "./host/config/configSources.ts";
import { onFirstConfig } from "./host/config/onFirstConfig.ts";
import { registerConfigSupport } from "./host/config/registerConfigSupport.ts";
import { restorePanels } from "./host/dashboard/panels.ts";
import { redactedLog } from "./host/keys/redactedLog.ts";
import { COMMANDS } from "./host/manifest/commandTable.ts";
import { TASK_TYPE } from "./host/manifest/taskType.ts";
import { isInWorkspace } from "./host/runs/inWorkspace.ts";
import { Server } from "./host/server/server.ts";
import { registerMcp } from "./host/tools/registerMcp.ts";
import { registerTools } from "./host/tools/registerTools.ts";
import { type Trees, treePlace } from "./host/views/trees.ts";
import { plainWindow } from "./host/vscode/plainWindow.ts";
import { PYTHON_FILE } from "./host/vscode/pythonFile.ts";
import { registerCommands } from "./host/vscode/registerCommands.ts";

/** The return value of `activate`, for tests and other extensions. */
export interface TinkerRlApi {
  /** Duration of `activate`, in milliseconds. */
  readonly activateMs: number;
  /** Loads and returns everything else. */
  readonly app: () => Promise<App>;
}

/** Delay between opening the first configuration and loading names and runs, because typing has priority. */
const SOON_MS = 300;

let stopServer: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): TinkerRlApi {
  const startedAt = performance.now();
  const redactor = new Redactor();
  const log = redactedLog(vscode.window.createOutputChannel("Tinker RL", { log: true }), redactor);
  let loading: Promise<App> | null = null;
  let isDashboardRestored = false;
  const app = (): Promise<App> => {
    loading ??= whileLoading(
      import("./host/app.ts").then(({ createApp }) =>
        createApp({
          context,
          programFolder,
          log,
          redactor,
          trees,
          sources,
          server,
          config,
          isRestored: () => isDashboardRestored,
        }),
      ),
    ).catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  const onError = (error: unknown): void => log.error(String(error));
  const load = (): void => void app().catch(onError);
  const sources = new LazyConfigSources(app);
  const version = (context.extension.packageJSON as { readonly version: string }).version; // a manifest has a version
  const programFolder = join(context.extensionPath, "dist", "trainer");
  const server = new Server({
    log,
    programFolder,
    version,
    storageFolder: context.globalStorageUri.fsPath,
    loadFeatures: async () => {
      const { languageFeatures } = await import("./host/config/languageFeatures.ts");
      return languageFeatures(sources);
    },
  });
  stopServer = () => server.stop();
  const config = registerConfigSupport({ sources, server, log });
  // These commands work even if the rest cannot be loaded.
  const early: EarlyHandlers = { ...config.handlers, ...helpHandlers({ context, log }) };
  const trees: Trees = {
    runs: treePlace("runs", app),
    trajectories: treePlace("trajectories", app),
    checkpoints: treePlace("checkpoints", app),
    environments: treePlace("environments", app),
  };
  context.subscriptions.push(
    log,
    config,
    ...Object.values(trees).map(({ view }) => view),
    registerCommands({ ...lazyHandlers(app, early), ...early }, { log, redactor }),
    registerTools({ redactor, answer: async (id, input) => (await app()).tools.answer(id, input) }),
    registerMcp({
      programFolder,
      version,
      variables: async () => (await app()).mcpVariables(),
    }),
    vscode.tasks.registerTaskProvider(TASK_TYPE, {
      provideTasks: async () => (await app()).tasks.provideTasks(),
      resolveTask: async (task) => (await app()).tasks.resolveTask(task),
    }),
    restorePanels("tinkerRL.dashboard", async (panel, state) => {
      isDashboardRestored = true;
      (await app()).dashboard.restore(panel, state);
    }),
    restorePanels("tinkerRL.runs", async (panel) => (await app()).table.restore(panel)),
    onFirstConfig(() => {
      const timer = setTimeout(load, SOON_MS);
      context.subscriptions.push({ dispose: () => clearTimeout(timer) });
    }),
    // Loads the rest, which provides the lenses, but only for Python files that contain an environment.
    vscode.languages.registerCodeLensProvider(PYTHON_FILE, {
      provideCodeLenses: async (document) => {
        const { pythonEnvironments } = await import("./core/scaffold/pythonEnvironments.ts");
        const isWanted = loading === null && pythonEnvironments(document.getText()).length > 0;
        if (isWanted) load();
        return [];
      },
    }),
  );
  joinRunning(context, app).catch(onError);
  const activateMs = performance.now() - startedAt;
  log.info(`ready after ${activateMs.toFixed(1)} ms`);
  return { activateMs, app };
}

/** Shuts the server down cleanly; runs are separate processes and continue. */
export function deactivate(): Promise<void> | undefined {
  return stopServer?.();
}

/** Shows progress in the status bar and in the Runs view. */
async function whileLoading<Loaded>(work: Promise<Loaded>): Promise<Loaded> {
  const title = vscode.l10n.t("Loading Tinker RL…");
  for (const location of [vscode.ProgressLocation.Window, { viewId: "tinkerRL.runs" }]) {
    void plainWindow.withProgress({ location, title }, () => work.catch(() => undefined));
  }
  return await work;
}

/** If trainings of this workspace from an earlier window are still running, loads the code that joins them. */
async function joinRunning(
  { globalStorageUri, globalState }: vscode.ExtensionContext,
  app: () => Promise<App>,
): Promise<void> {
  const isWanted =
    globalState.get(PENDING_DEMO) !== undefined ||
    (await hasTrainings(join(globalStorageUri.fsPath, "launches")));
  if (isWanted) await app();
}

async function hasTrainings(launches: string): Promise<boolean> {
  if ((await readdir(launches).catch(() => [])).length === 0) return false;
  const { LaunchStore } = await import("./node/launch/launchStore.ts");
  const known = await new LaunchStore(launches).list();
  return known.some(
    ({ request, isAlive }) => isAlive && isInWorkspace(request.training.configPath),
  );
}

function lazyHandlers(app: () => Promise<App>, early: EarlyHandlers): LateHandlers {
  const ids = [...COMMANDS.keys()].filter((id) => !(id in early)) as (keyof LateHandlers)[]; // the table's keys are the ids
  const entries = ids.map((id) => [
    id,
    async (target?: unknown, selection?: unknown) => (await app()).handlers[id](target, selection),
  ]);
  return Object.fromEntries(entries) as LateHandlers; // one entry for each id
}
