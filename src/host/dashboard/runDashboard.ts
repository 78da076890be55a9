/** The dashboard, joined with the runs of this window and the commands of the extension. */

import * as vscode from "vscode";
import * as z from "zod";
import { DASHBOARD_COMMAND, type DashboardOrder, type WindowRun } from "../../api/dashboard.ts";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runIdOf } from "../../server/runs/runId.ts";
import type { RunEntry, RunStore } from "../../server/runs/runStore.ts";
import type { CommandArgs, DashboardCommand } from "../../shared/dashboardMessages.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import { applyAlarm } from "../runs/applyAlarm.ts";
import { resumeBefore } from "../runs/branchRun.ts";
import type { Memento } from "../runs/runLabels.ts";
import type { Server } from "../server/server.ts";
import { diffRollouts } from "../views/rolloutDocuments.ts";
import { readSetting } from "../vscode/settings.ts";
import { Dashboard, doneByEditor, type OpenDashboardOptions, orphanedTabs } from "./dashboard.ts";
import { keepPinnedMetrics, readPinnedMetrics } from "./pinnedMetrics.ts";
import type { SessionStart } from "./remoteSession.ts";
import { keepSavedFilters, readSavedFilters } from "./savedFilters.ts";

export interface RunDashboardOptions {
  readonly store: RunStore;
  readonly server: Server;
  readonly fileSystem: FileSystem;
  readonly workspaceState: Memento;
  readonly extensionUri: vscode.Uri;
  /** Called with the folder of the run that is shown from now on. */
  readonly onShown: (folder: string) => void;
  readonly onError: (error: unknown) => void;
}

const SHOWN = "dashboard.shown";
const shownSchema = z.object({ session: z.string(), folder: z.string() });

/** Commands of the page that are commands of the extension, called on the run. */
const COMMANDS: Partial<Readonly<Record<DashboardCommand, CommandId>>> = {
  pause: "pauseRun",
  continue: "continueRun",
  saveNow: "saveCheckpointNow",
  stop: "stopRun",
  stopNow: "stopRunNow",
  resume: "resumeRun",
  "change-settings": "changeRunSettings",
  startFromCheckpoint: "startFromCheckpoint",
  branchFromCheckpoint: "branchFromCheckpoint",
  evaluateCheckpoint: "evaluateCheckpoint",
  chatWithCheckpoint: "chatWithCheckpoint",
  downloadCheckpoint: "downloadCheckpoint",
  keepCheckpoint: "keepCheckpoint",
  deleteCheckpoint: "deleteCheckpoint",
  openRunFolder: "openRunFolder",
  openLog: "openRunLog",
  openRolloutJson: "openRolloutJson",
  continueFromHere: "continueFromHere",
};

export class RunDashboard implements vscode.Disposable {
  readonly #options: RunDashboardOptions;
  readonly #dashboard: Dashboard;
  readonly #changes = new vscode.EventEmitter<WindowRun | null>();
  readonly #listening: { dispose(): void };

  constructor(options: RunDashboardOptions) {
    this.#options = options;
    const { store, server, extensionUri, workspaceState, onShown, onError } = options;
    this.#listening = store.onDidChange((folder) => {
      const run = folder === null ? null : store.get(folder);
      this.#changes.fire(run === null ? null : this.#known(run));
    });
    server.handle(DASHBOARD_COMMAND, async (order: DashboardOrder) => {
      await this.#do(order);
      return null;
    });
    this.#dashboard = new Dashboard({
      server,
      extensionUri,
      onError,
      start: () => this.#start(),
      nameOf: (folder) => store.get(folder)?.name ?? folder.replace(/^.*[/\\]/, ""),
      folderOf: (id) => this.#folderOf(id),
      onDidChangeRuns: this.#changes.event,
      keep: ({ pinnedMetrics, savedFilters }) => {
        if (pinnedMetrics !== undefined) void keepPinnedMetrics(workspaceState, pinnedMetrics);
        if (savedFilters !== undefined) void keepSavedFilters(workspaceState, savedFilters);
      },
      onShown: (folder) => {
        onShown(folder);
        void workspaceState.update(SHOWN, { session: vscode.env.sessionId, folder });
      },
    });
  }

  /** True while the dashboard is in sight. */
  get isVisible(): boolean {
    return this.#dashboard.isVisible;
  }

  /** Opens the dashboard, or brings it to the front, at a run or at one of its steps or rollouts. */
  open(folder: string, options: Omit<OpenDashboardOptions, "viewColumn"> = {}): void {
    this.#dashboard.open(folder, {
      ...options,
      viewColumn:
        vscode.window.activeTextEditor === undefined
          ? vscode.ViewColumn.Active
          : vscode.ViewColumn.Beside,
    });
  }

  /** Opens the dashboard at a run that a person has just started, where the setting says; the focus stays where it is. */
  openBeside(folder: string): void {
    const isBeside =
      readSetting("dashboard.openOnStart") === "beside" &&
      vscode.window.activeTextEditor !== undefined;
    this.#dashboard.open(folder, {
      viewColumn: isBeside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
      preserveFocus: true,
    });
  }

  /** Names a run that has begun in the dashboard that is open. */
  offer(folder: string): void {
    this.#dashboard.offer(folder);
  }

  /** Goes to the search in all runs. @throws AppError `no-runs` */
  openSearch(): void {
    const [newest] = this.#options.store.runs;
    if (newest === undefined) {
      throw new AppError(
        "no-runs",
        vscode.l10n.t("There is no run to search. Start a training, or open a run folder first."),
      );
    }
    this.#dashboard.openSearch(newest.folder);
  }

  /** Replaces the tab after a crash of the extension host: the old tab is still there and no longer reacts. */
  reviveAfterCrash(): void {
    const last = shownSchema.safeParse(this.#options.workspaceState.get(SHOWN)).data;
    const [tab] = orphanedTabs();
    // A reload begins another session, and the editor restores the dashboard by itself.
    if (
      tab === undefined ||
      last?.session !== vscode.env.sessionId ||
      this.#dashboard.shownFolder !== null
    )
      return;
    this.#dashboard.open(last.folder, {
      viewColumn: tab.group.viewColumn,
      preserveFocus: true,
    });
  }

  /** As the dashboard was before a reload. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    this.#dashboard.restore(panel, state);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#dashboard.dispose();
    this.#changes.dispose();
  }

  #start(): SessionStart {
    const { store, workspaceState } = this.#options;
    return {
      runs: store.runs.map((run) => this.#known(run)),
      settings: {
        smoothing: readSetting("dashboard.smoothing"),
        hasSingleKeys: readSetting("dashboard.singleKeyShortcuts"),
        hasLiveRegion: readSetting("dashboard.liveRegion"),
        pinnedMetrics: readPinnedMetrics(workspaceState),
        savedFilters: readSavedFilters(workspaceState),
      },
      workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    };
  }

  #known({ folder, name, phase, status }: RunEntry): WindowRun {
    const count = status?.evaluated ?? null;
    return {
      folder,
      name,
      state: phase === "unreadable" ? "unknown" : phase,
      evaluated: count === null ? null : { done: count.done, total: count.total },
      isReadOnly: this.#options.store.opened.includes(folder),
    };
  }

  #folderOf(id: string): string | null {
    const { store, workspaceState } = this.#options;
    const run = store.runs.find(({ folder }) => runIdOf(folder) === id);
    if (run !== undefined) return run.folder;
    // A reload may come back to a run whose folder is gone: the dashboard says so.
    const last = shownSchema.safeParse(workspaceState.get(SHOWN)).data;
    return last !== undefined && runIdOf(last.folder) === id ? last.folder : null;
  }

  async #do({ command, folder, args, alarm }: DashboardOrder): Promise<void> {
    if (await doneByEditor(command, args)) return;
    const id = COMMANDS[command];
    const { store, fileSystem } = this.#options;
    if (id !== undefined) {
      await vscode.commands.executeCommand(commandName(id), {
        folder,
        ...args.key,
        name: args.name,
        turn: args.turn,
      });
    } else if (command === "diffRollouts" && args.key !== undefined && args.other !== undefined) {
      await diffRollouts({ folder, ...args.key }, { folder, ...args.other });
    }
    // The run that is shown is not the one that is asked for.
    else if (command === "importRun") {
      await vscode.commands.executeCommand(commandName("importRun"));
    } else if (command === "openConfigAt") await this.#openConfig(folder, args);
    else if (alarm !== null && command === "applyAlarm") await applyAlarm(store, folder, alarm);
    else if (alarm !== null) await resumeBefore(fileSystem, folder, alarm);
    else throw new AppError("no-such-command", `The dashboard has no command ${command}.`);
  }

  async #openConfig(folder: string, { path = [] }: CommandArgs): Promise<void> {
    const configPath = this.#options.store.get(folder)?.file?.configPath;
    if (configPath === undefined) {
      throw new AppError(
        "no-config",
        "The run does not say which configuration it was started with.",
      );
    }
    const [{ readYaml, languageOf }, { locate }] = await Promise.all([
      import("../../core/config/source/yamlSource.ts"),
      import("../../core/config/source/locate.ts"),
    ]);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(configPath));
    const source = readYaml(document.getText(), languageOf(configPath));
    const span = locate(source, path, "key");
    const at = document.positionAt(span?.start ?? 0);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.One,
      selection: new vscode.Range(at, at),
    });
  }
}
