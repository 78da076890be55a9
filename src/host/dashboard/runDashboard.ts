/** The dashboard, joined with the runs of this window and the commands of the extension. */

import * as vscode from "vscode";
import * as z from "zod";
import { firingIn } from "../../core/alarms/alarmEvents.ts";
import { AppError } from "../../core/errors.ts";
import { RunFollower } from "../../core/runFolder/follower.ts";
import { markRollout } from "../../core/runFolder/marks.ts";
import { systemClock } from "../../node/clock.ts";
import type { ClosableFileSystem } from "../../node/fileSystem.ts";
import { isProcessAlive } from "../../node/processes.ts";
import type { DashboardRun } from "../../server/dashboard/dashboardRun.ts";
import type { DashboardSessionOptions } from "../../server/dashboard/dashboardSession.ts";
import { createTextReader } from "../../server/dashboard/textReader.ts";
import { tokenTextsOf } from "../../server/dashboard/tokenTexts.ts";
import { runIdOf } from "../../server/runs/runId.ts";
import type { RunEntry, RunStore } from "../../server/runs/runStore.ts";
import type { CommandArgs, DashboardCommand } from "../../shared/dashboardMessages.ts";
import type { RunListing } from "../../shared/dashboardTypes.ts";
import { type CommandId, commandName } from "../manifest/commandTable.ts";
import { applyAlarm } from "../runs/applyAlarm.ts";
import { resumeBefore } from "../runs/branchRun.ts";
import type { Memento } from "../runs/runLabels.ts";
import { diffRollouts } from "../views/rolloutDocuments.ts";
import { readSetting } from "../vscode/settings.ts";
import { shortenPath } from "../vscode/shortenPath.ts";
import { Dashboard, type OpenDashboardOptions, orphanedTabs } from "./dashboard.ts";
import { keepPinnedMetrics, readPinnedMetrics } from "./pinnedMetrics.ts";
import { keepSavedFilters, readSavedFilters } from "./savedFilters.ts";

export interface RunDashboardOptions {
  readonly store: RunStore;
  readonly fileSystem: ClosableFileSystem;
  readonly workspaceState: Memento;
  readonly extensionUri: vscode.Uri;
  /** The program's folder inside the extension. */
  readonly programFolder: string;
  /** Called with the folder of the run that is shown from now on. */
  readonly onShown: (folder: string) => void;
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
  readonly #changes = new vscode.EventEmitter<undefined>();
  readonly #listening: { dispose(): void };
  /** Follower of the run that is shown. It is not shared: each reading reports only what changed since the reader's last one. */
  #follower: RunFollower | null = null;

  constructor(options: RunDashboardOptions) {
    this.#options = options;
    const { store, extensionUri } = options;
    this.#listening = store.onDidChange(() => this.#changes.fire(undefined));
    this.#dashboard = new Dashboard({
      extensionUri,
      session: this.#sessionOptions(),
      onDidChangeRuns: this.#changes.event,
    });
  }

  /** True while the dashboard is in sight. */
  get isVisible(): boolean {
    return this.#dashboard.isVisible;
  }

  /** Opens the dashboard, or brings it to the front, at a run or at one of its steps or rollouts. */
  open(folder: string, options: Omit<OpenDashboardOptions, "viewColumn"> = {}): void {
    this.#dashboard.open(this.#run(folder), {
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
    this.#dashboard.open(this.#run(folder), {
      viewColumn: isBeside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
      preserveFocus: true,
    });
  }

  /** Names a run that has begun in the dashboard that is open. */
  offer(folder: string): void {
    this.#dashboard.offer(runIdOf(folder));
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
    this.#dashboard.openSearch(this.#run(newest.folder));
  }

  /** Replaces the tab after a crash of the extension host: the old tab is still there and no longer reacts. */
  reviveAfterCrash(): void {
    const last = shownSchema.safeParse(this.#options.workspaceState.get(SHOWN)).data;
    const [tab] = orphanedTabs();
    // A reload begins another session, and the editor restores the dashboard by itself.
    if (
      tab === undefined ||
      last?.session !== vscode.env.sessionId ||
      this.#dashboard.shownRun !== null
    )
      return;
    this.#dashboard.open(this.#run(last.folder), {
      viewColumn: tab.group.viewColumn,
      preserveFocus: true,
    });
  }

  /** As the dashboard was before a reload. */
  restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    return this.#dashboard.restore(panel, state);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#dashboard.dispose();
    this.#changes.dispose();
  }

  #sessionOptions(): Omit<DashboardSessionOptions, "post"> {
    const { store, fileSystem, programFolder, workspaceState, onShown } = this.#options;
    return {
      fileSystem,
      isProcessAlive,
      shortenPath,
      clock: systemClock,
      runs: {
        list: async () => store.runs.map((run) => this.#listing(run)),
        find: async (id) => this.#find(id),
        evaluated: (folder) => {
          const count = store.get(folder)?.status?.evaluated ?? null;
          return count === null ? null : { done: count.done, total: count.total };
        },
      },
      settings: {
        current: () => ({
          smoothing: readSetting("dashboard.smoothing"),
          hasSingleKeys: readSetting("dashboard.singleKeyShortcuts"),
          hasLiveRegion: readSetting("dashboard.liveRegion"),
          pinnedMetrics: readPinnedMetrics(workspaceState),
          savedFilters: readSavedFilters(workspaceState),
        }),
        pinMetrics: (names) => keepPinnedMetrics(workspaceState, names),
        keepFilters: (filters) => keepSavedFilters(workspaceState, filters),
      },
      command: (command, run, args) => this.#command(command, run, args),
      tokenTexts: tokenTextsOf(fileSystem, programFolder),
      texts: createTextReader({
        programFolder,
        folders: () => store.runs.map(({ folder }) => folder),
        openedFolders: () => store.opened,
        listing: (folder) => ({ id: runIdOf(folder), name: this.#nameOf(folder) }),
      }),
      onRunShown: ({ follower: { folder } }) => {
        onShown(folder);
        void workspaceState.update(SHOWN, { session: vscode.env.sessionId, folder });
      },
    };
  }

  #nameOf(folder: string): string {
    return this.#options.store.get(folder)?.name ?? folder.replace(/^.*[/\\]/, "");
  }

  #listing(run: RunEntry): RunListing {
    const state = run.phase === "unreadable" ? "unknown" : run.phase;
    return { id: runIdOf(run.folder), name: run.name, state };
  }

  async #find(id: string): Promise<DashboardRun | null> {
    const { store } = this.#options;
    const run = store.runs.find(({ folder }) => runIdOf(folder) === id);
    if (run !== undefined) return this.#run(run.folder);
    // A reload may come back to a run whose folder is gone: the dashboard says so.
    const last = shownSchema.safeParse(this.#options.workspaceState.get(SHOWN)).data;
    return last !== undefined && runIdOf(last.folder) === id ? this.#run(last.folder) : null;
  }

  #run(folder: string): DashboardRun {
    const { fileSystem } = this.#options;
    if (this.#follower?.folder !== folder) {
      this.#follower = new RunFollower({ fileSystem, folder });
      // Reads while the page loads. The page reports what goes wrong when it reads again.
      this.#follower.refresh().catch(() => undefined);
    }
    const nameOf = (): string => this.#nameOf(folder);
    return {
      id: runIdOf(folder),
      follower: this.#follower,
      // A run that has just begun is listed a moment later, and a sweep gives its runs names.
      get name() {
        return nameOf();
      },
    };
  }

  async #command(command: DashboardCommand, run: DashboardRun, args: CommandArgs): Promise<void> {
    const { folder } = run.follower;
    const id = COMMANDS[command];
    if (id !== undefined) {
      await vscode.commands.executeCommand(commandName(id), {
        folder,
        ...args.key,
        name: args.name,
        turn: args.turn,
      });
      return;
    }
    if (command === "markRollout" && args.key !== undefined && args.mark !== undefined) {
      const files = this.#options.fileSystem.within(folder);
      return markRollout(files, folder, args.key, args.mark);
    }
    if (command === "diffRollouts" && args.key !== undefined && args.other !== undefined) {
      return diffRollouts({ folder, ...args.key }, { folder, ...args.other });
    }
    // The run that is shown is not the one that is asked for.
    if (command === "importRun") {
      await vscode.commands.executeCommand(commandName("importRun"));
      return;
    }
    if (command === "openConfigAt") return this.#openConfig(folder, args);
    if (command === "applyAlarm" || command === "resumeBeforeAlarm") {
      return this.#answerAlarm(command, run, args);
    }
    throw new AppError("no-such-command", `The dashboard has no command ${command}.`);
  }

  async #answerAlarm(
    command: "applyAlarm" | "resumeBeforeAlarm",
    { follower }: DashboardRun,
    { name }: CommandArgs,
  ): Promise<void> {
    const alarm = firingIn(follower).find(({ id }) => id === name);
    if (alarm === undefined) throw new AppError("alarm-over", "This alarm is over.");
    const { store, fileSystem } = this.#options;
    if (command === "applyAlarm") await applyAlarm(store, follower.folder, alarm);
    else await resumeBefore(fileSystem, follower.folder, alarm);
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
