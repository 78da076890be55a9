/** Notifications, one at a time: the end of a run, an alarm, an interrupted run, a closed terminal. */

import { basename } from "node:path";
import * as vscode from "vscode";
import type { RunEntry } from "../api/runs.ts";
import { editsTitle } from "../core/alarms/formatSettingChange.ts";
import type { FileSystem } from "../core/ports.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { isExpiring, isResumable, repeatedSteps } from "../core/runs/runWords.ts";
import type { Listening } from "../core/util/emitter.ts";
import { systemClock } from "../node/clock.ts";
import { EXIT } from "../shared/exitCodes.ts";
import { formatCount, formatDuration, plural } from "../shared/format.ts";
import type { RunDashboard } from "./dashboard/runDashboard.ts";
import { type CommandId, commandName } from "./manifest/commandTable.ts";
import { applyAlarm } from "./runs/applyAlarm.ts";
import { resumeBefore, saveBefore } from "./runs/branchRun.ts";
import type { RunAlarms } from "./runs/runAlarms.ts";
import type { RunLabels } from "./runs/runLabels.ts";
import type { RunList } from "./runs/runList.ts";
import type { SweepEnded, TrainingEnded, Trainings } from "./runs/trainings.ts";
import type { WaitingStart } from "./runs/waitingStarts.ts";
import type { Memento } from "./vscode/memento.ts";
import { type NoticeQueue, noticeQueue } from "./vscode/noticeQueue.ts";
import { offerInstead, offerNewConfig } from "./vscode/offerInstead.ts";
import { type Button, plainWindow } from "./vscode/plainWindow.ts";
import { readSetting } from "./vscode/settings.ts";
import { isThere } from "./vscode/workspaceText.ts";

export interface NoticeOptions {
  readonly store: RunList;
  readonly labels: Pick<RunLabels, "isArchived">;
  readonly trainings: Trainings;
  readonly alarms: RunAlarms;
  readonly workspaceState: Memento;
  readonly fileSystem: FileSystem;
  readonly dashboard: Pick<RunDashboard, "isVisible" | "open">;
  readonly log: vscode.LogOutputChannel;
}

const NOT_OFFERED = "resumeNotOffered";
const NOT_REPORTED = "finishNotReported";
const ALARM_REPORTED = "alarmReported";
const EXPIRY_REPORTED = "expiryReported";
const REMEMBERED_RUNS = 50;

export class Notices implements vscode.Disposable {
  readonly #options: NoticeOptions;
  readonly #listening: readonly Listening[];
  readonly #queue: NoticeQueue;

  constructor(options: NoticeOptions) {
    this.#options = options;
    this.#queue = noticeQueue({
      clock: systemClock,
      onError: (error) => options.log.error(`A notification failed: ${String(error)}`),
    });
    this.#listening = [
      options.alarms.onDidChange((folder) => this.#queue.add(() => this.#alarmed(folder))),
      options.trainings.onDidEnd((end) => this.#queue.add(() => this.#ended(end))),
      options.trainings.onDidEndSweep((end) => this.#queue.add(() => this.#sweepEnded(end))),
      options.trainings.onDidDetach((training) =>
        this.#queue.add(async () => {
          const text = vscode.l10n.t("{0} continues without its terminal.", training.request.title);
          await plainWindow.offer("Information", text, [
            [vscode.l10n.t("Stop and Save"), () => training.send("stop")],
          ]);
        }),
      ),
    ];
  }

  dispose(): void {
    for (const each of this.#listening) each.dispose();
  }

  /** Offers to resume interrupted runs, unless they are archived. Call once, after the window has found its runs. */
  offerInterrupted(): void {
    const { workspaceState } = this.#options;
    const silenced = listOf(workspaceState.get(NOT_OFFERED));
    const run = this.#shownRuns.find(
      (each) => each.phase === "interrupted" && isResumable(each) && !silenced.includes(key(each)),
    );
    this.#offerExpiring(run?.folder ?? null);
    if (run === undefined) return;
    this.#queue.add(async () => {
      const repeats = repeatedSteps(run);
      const cost =
        repeats === 0
          ? ""
          : ` ${plural(repeats, "A resume repeats {0} step.", "A resume repeats {0} steps.")}`;
      const left = run.expiry === null ? null : (run.expiry.atMs - Date.now()) / 1000;
      const end =
        left === null
          ? ""
          : ` ${vscode.l10n.t("Its last state expires in {0}.", formatDuration(left))}`;
      const text = vscode.l10n.t(
        "The run {0} was interrupted after step {1}.{2}{3}",
        ...[run.name, formatCount(run.steps), cost, end],
      );
      const silence = () => workspaceState.update(NOT_OFFERED, [...silenced, key(run)]);
      await plainWindow.offer("Information", text, [
        resumeButton(run.folder),
        ...(isExpiring(run, Date.now()) ? [keepButton(run.folder)] : []),
        [vscode.l10n.t("Later"), () => undefined],
        [vscode.l10n.t("Don't Offer for This Run"), silence],
      ]);
    });
  }

  /** Reports starts that were still waiting for another run when the last window closed, and offers to start them. */
  offerWaiting(waiting: readonly WaitingStart[]): void {
    for (const { title, startsAgain } of waiting) {
      this.#queue.add(async () => {
        const text = vscode.l10n.t("{0} waited for another run and was not started.", title);
        const start = (config: string) => run("startTraining", vscode.Uri.file(config));
        const buttons =
          startsAgain === null
            ? []
            : [[vscode.l10n.t("Start Training"), () => start(startsAgain)] as const];
        await plainWindow.offer("Information", text, buttons);
      });
    }
  }

  get #shownRuns(): readonly RunEntry[] {
    const { store, labels } = this.#options;
    return store.runs.filter(({ folder }) => !labels.isArchived(folder));
  }

  /** Warns once per run if its last state expires within a day, unless the run is already offered for resuming. */
  #offerExpiring(offered: string | null): void {
    const { workspaceState } = this.#options;
    const reported = listOf(workspaceState.get(EXPIRY_REPORTED));
    const run = this.#shownRuns.find(
      (each) =>
        each.folder !== offered &&
        each.phase !== "done" &&
        isExpiring(each, Date.now()) &&
        !reported.includes(key(each)),
    );
    if (run === undefined || run.expiry === null) return;
    const { atMs, repeats } = run.expiry;
    this.#queue.add(async () => {
      await workspaceState.update(EXPIRY_REPORTED, [...reported, key(run)].slice(-REMEMBERED_RUNS));
      const left = formatDuration((atMs - Date.now()) / 1000);
      const text =
        repeats === null
          ? vscode.l10n.t(
              "The last state of {0} expires in {1}. After that, nothing is left to resume from.",
              ...[run.name, left],
            )
          : vscode.l10n.t(
              "The last state of {0} expires in {1}. After that, a resume repeats more steps.",
              ...[run.name, left],
            );
      await plainWindow.offer("Warning", text, [keepButton(run.folder)]);
    });
  }

  /** Notifies only of a run's first critical alarm; all others are in the dashboard and in Problems. */
  async #alarmed(folder: string): Promise<void> {
    const { store, alarms, workspaceState } = this.#options;
    const alarm = alarms.of(folder).find(({ severity }) => severity === "critical");
    const run = store.get(folder);
    const runId = run?.file?.runId;
    const reported = listOf(workspaceState.get(ALARM_REPORTED));
    if (alarm === undefined || run === null || runId === undefined || reported.includes(runId))
      return;
    await workspaceState.update(ALARM_REPORTED, [...reported, runId].slice(-REMEMBERED_RUNS));
    const text = vscode.l10n.t(
      "{0}, step {1}: {2}",
      run.name,
      formatCount(alarm.step + 1),
      alarm.seen,
    );
    const { fileSystem } = this.#options;
    const fix: Button = [editsTitle(alarm.edits), () => applyAlarm(store, folder, alarm)];
    const before: Button = [
      vscode.l10n.t("Resume from Before This Alarm"),
      () => resumeBefore(fileSystem, folder, alarm),
    ];
    const save = await saveBefore(fileSystem, folder, alarm.step);
    await plainWindow.offer("Warning", text, [
      ...(alarm.edits.length > 0 ? [fix] : []),
      ...(save === null ? [] : [before]),
      dashboardButton(folder),
    ]);
  }

  async #ended(end: TrainingEnded): Promise<void> {
    const { folder, request } = end;
    const name =
      folder === null ? request.title : (this.#options.store.get(folder)?.name ?? basename(folder));
    // A run that someone stopped needs no notification.
    if (end.exitCode === EXIT.stopped || end.exitCode === EXIT.interrupted) return;
    if (end.exitCode === EXIT.done) {
      // A sweep is reported once, not per run.
      if (request.sweep !== undefined) return;
      const text = vscode.l10n.t("The run {0} is done.", name);
      return this.#finished(text, folder, request.configPath);
    }
    if (end.folder === null) return this.#notBegun(end, name);
    if (!(await isThere(vscode.Uri.file(runPaths(end.folder).runFile)))) {
      const text = vscode.l10n.t("{0} ended because its folder was deleted.", name);
      await plainWindow.showWarningMessage(text);
      return;
    }
    if (end.exitCode === null) return this.#vanished(end.folder, name);
    return this.#failed(end, end.folder, name);
  }

  async #sweepEnded({ exitCode, name, isStaged, folder, configPath }: SweepEnded): Promise<void> {
    if (exitCode !== EXIT.done) return;
    const text = isStaged
      ? vscode.l10n.t("All stages of {0} are done.", name)
      : vscode.l10n.t("The sweep {0} is done.", name);
    await this.#finished(text, folder, configPath);
  }

  async #finished(text: string, folder: string | null, configPath: string): Promise<void> {
    // A dry run leaves no folder; its terminal shows all results.
    if (folder === null) return;
    const when = readSetting("notifications.runFinished");
    const isSeen = vscode.window.state.focused && this.#options.dashboard.isVisible;
    const muted = listOf(this.#options.workspaceState.get(NOT_REPORTED));
    if (when === "never" || (when === "unfocused" && isSeen) || muted.includes(configPath)) return;
    const { workspaceState } = this.#options;
    const mute = () => workspaceState.update(NOT_REPORTED, [...muted, configPath]);
    await plainWindow.offer("Information", text, [
      dashboardButton(folder),
      [vscode.l10n.t("Don't Show for This Configuration"), mute],
    ]);
  }

  async #notBegun({ error, request }: TrainingEnded, name: string): Promise<void> {
    // Configuration errors are shown in Problems and the terminal; a refusal to send a key was the user's own answer.
    const reported = ["config-invalid", "key-host-not-allowed"];
    if (error === null || reported.includes(error.code)) return;
    if (error.code === "config-not-found") {
      const missing = vscode.l10n.t("Not started: {0} does not exist.", request.configPath);
      // An evaluation needs existing weights, which a new configuration would not have.
      return offerInstead(missing, request.instead === undefined ? [offerNewConfig()] : []);
    }
    const setKey: Button = [vscode.l10n.t("Set API Key…"), () => run("setApiKey", error.name)];
    // For a data file, the first line is enough; the terminal and Problems list the rows.
    const [reason = ""] = error.message.split("\n");
    const text = vscode.l10n.t("{0} did not start: {1}", name, reason);
    await plainWindow.offer("Error", text, [
      ...(error.code === "key-missing" ? [setKey] : []),
      configButton(request.configPath),
    ]);
  }

  async #vanished(folder: string, name: string): Promise<void> {
    const text = vscode.l10n.t("The run {0} was interrupted.", name);
    await plainWindow.offer("Warning", text, [resumeButton(folder), logButton(folder)]);
  }

  async #failed(
    { error, exitCode, request }: TrainingEnded,
    folder: string,
    name: string,
  ): Promise<void> {
    const reason = error?.message.split("\n")[0] ?? vscode.l10n.t("exit code {0}", exitCode ?? "?");
    const text = vscode.l10n.t("The run {0} failed: {1}", name, reason);
    if (error?.code === "empty-steps") {
      return this.#learnedNothing(text, folder, request.configPath);
    }
    await plainWindow.offer("Error", text, [resumeButton(folder), logButton(folder)]);
  }

  /** A resume would end the same way, so something has to change first. */
  async #learnedNothing(text: string, folder: string, configPath: string): Promise<void> {
    const { dashboard, store } = this.#options;
    const showRollouts = (): void => {
      const step = Math.max(0, (store.get(folder)?.steps ?? 0) - 1);
      dashboard.open(folder, { target: { source: "training", step, rollout: null } });
    };
    await plainWindow.offer("Error", text, [
      [vscode.l10n.t("Show Rollouts"), showRollouts],
      configButton(configPath),
    ]);
  }
}

async function openConfig(path: string): Promise<void> {
  const config = vscode.Uri.file(path);
  // It may have been renamed while the notification was open.
  if (await isThere(config)) await vscode.window.showTextDocument(config);
  else await offerInstead(vscode.l10n.t("{0} no longer exists.", path));
}

function run(command: CommandId, argument: unknown): Thenable<unknown> {
  return vscode.commands.executeCommand(commandName(command), argument);
}

function keepButton(folder: string): Button {
  return [vscode.l10n.t("Keep Last State"), () => run("keepLastState", { folder })];
}

function resumeButton(folder: string): Button {
  return [vscode.l10n.t("Resume"), () => run("resumeRun", { folder })];
}

function logButton(folder: string): Button {
  return [vscode.l10n.t("Show Log"), () => run("openRunLog", { folder })];
}

function dashboardButton(folder: string): Button {
  return [vscode.l10n.t("Open Dashboard"), () => run("openDashboard", { folder })];
}

function configButton(path: string): Button {
  return [vscode.l10n.t("Open Configuration"), () => openConfig(path)];
}

/** Includes the attempt, so that a resumed run is offered again if it is interrupted again. */
function key({ folder, file }: RunEntry): string {
  return `${folder}#${file?.attempt ?? 0}`;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
