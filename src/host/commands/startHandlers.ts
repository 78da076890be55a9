/** Handlers of the commands that start or resume a training. */

import { basename, extname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import * as z from "zod";
import { type BasisRequest, ESTIMATE_REQUESTS, type EstimateBasis } from "../../api/estimate.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import type { RunEntry } from "../../api/runs.ts";
import type { FileSystem } from "../../core/ports.ts";
import { isResumable } from "../../core/runs/runWords.ts";
import { systemClock } from "../../node/clock.ts";
import { DRY_RUN_GROUPS } from "../../shared/dryRun.ts";
import { plural } from "../../shared/format.ts";
import type { Trainings } from "../runs/trainings.ts";
import type { Server } from "../server/server.ts";
import type { TaskProvider } from "../task/taskProvider.ts";
import { gridTexts } from "../task/trainTask.ts";
import { offerInstead, showRuns } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { settingOverrides } from "../vscode/settings.ts";
import { askOverrides } from "./askOverrides.ts";
import { type AskedSweep, askSweep } from "./askSweep.ts";
import { type ChooseRunOptions, chooseRun, sweepOf } from "./chooseRun.ts";
import { chooseValidConfig } from "./chooseValidConfig.ts";
import type { DemoConfig, LocalDemo } from "./localDemo.ts";

export interface StartHandlerOptions extends ChooseRunOptions {
  readonly tasks: TaskProvider;
  readonly demo: LocalDemo;
  readonly fileSystem: FileSystem;
  readonly server: Pick<Server, "request">;
  readonly trainings: Pick<Trainings, "active" | "waiting" | "cancel" | "onDidChange" | "sweep">;
}

/** Do not wait longer for a start, because it may be asking something, such as whether to wait for another run. */
const START_MS = 30_000;

export function startHandlers(options: StartHandlerOptions) {
  const { tasks } = options;
  const train = async (...what: Parameters<TaskProvider["taskOf"]>): Promise<void> => {
    await vscode.tasks.executeTask(tasks.taskOf(...what));
  };
  const nameOf = ({ fsPath }: vscode.Uri): string => basename(fsPath, extname(fsPath));
  /** Wraps a handler so that it receives the configuration it was called on, or that the user picks. */
  const onConfig = (act: (config: vscode.Uri) => Promise<void>) => async (target?: unknown) => {
    const config = await chooseValidConfig(options.store, target);
    if (config !== undefined) await act(config);
  };
  /** `continues` is the id of an earlier sweep. */
  const startSweep = async (config: vscode.Uri, continues?: string): Promise<void> => {
    const ports = { fileSystem: options.fileSystem, clock: systemClock };
    const overrides = settingOverrides(config);
    const sweep = await askSweep({ ...ports, config, continues, settingOverrides: overrides });
    if (sweep === undefined) return;
    const { task, wantsEstimate } = sweep;
    const name = nameOf(config);
    if (wantsEstimate) {
      const grid = gridTexts(task) ?? [];
      if (!(await mayEstimate(options.server, config, grid))) return;
      const estimate = { action: "estimate", grid: task.grid } as const;
      const title = vscode.l10n.t("estimate sweep {0}", name);
      await hasEnded(await vscode.tasks.executeTask(tasks.taskOf(config, estimate, title)));
      if (!(await wantsStart(sweep))) return;
    }
    await train(config, task, vscode.l10n.t("sweep {0}", name));
  };
  return {
    startTraining: async (target) => {
      const { config: named = target, stage } = stageLens.safeParse(target).data ?? {};
      const start = onConfig((config) =>
        stage === undefined
          ? train(config)
          : train(config, { overrides: { stage } }, vscode.l10n.t("stage {0}", stage)),
      );
      await start(named);
    },
    startWithOverrides: onConfig(async (config) => {
      const overrides = await askOverrides(config);
      if (overrides !== undefined) await train(config, { overrides });
    }),
    dryRun: onConfig((config) =>
      train(config, { action: "dry_run" }, vscode.l10n.t("dry run {0}", nameOf(config))),
    ),
    estimateCost: onConfig(async (config) => {
      if (!(await mayEstimate(options.server, config, []))) return;
      await train(config, { action: "estimate" }, vscode.l10n.t("estimate {0}", nameOf(config)));
    }),
    startSweep: onConfig((config) => startSweep(config)),
    continueSweep: async (target) => {
      const id = sweepOf(target);
      const run = options.store.runs.find(({ file }) => file?.sweep?.id === id);
      if (id === undefined || run?.file == null) return offerSweeps();
      const config = vscode.Uri.file(run.file.configPath);
      await onConfig((valid) => startSweep(valid, id))(config);
    },
    stopSweep: async (target) => {
      const sweep = options.trainings.sweep(sweepOf(target) ?? "");
      if (sweep === undefined) return offerSweeps();
      plainWindow.setStatusBarMessage(await sweep.send("stop"));
    },
    startLocalDemo: async () => {
      const config = await options.demo.prepare();
      if (config === undefined) return;
      const title = vscode.l10n.t("Starting the local demo");
      const location = vscode.ProgressLocation.Notification;
      await plainWindow.withProgress({ location, title }, async (_, report) => {
        report(demoText(config));
        const task = tasks.taskOf(config.uri);
        const begun = isUnderWay(options.trainings, config.uri, task);
        await vscode.tasks.executeTask(task);
        await begun;
      });
    },
    cancelStart: async (target) => {
      const { holder } = (target ?? {}) as { readonly holder?: unknown }; // validated on the next line
      const waiting = options.trainings.waiting.find((each) => each === holder);
      if (waiting !== undefined) return options.trainings.cancel(waiting);
      const text = vscode.l10n.t("In the Runs view, select a run that is waiting.");
      await offerInstead(text, [showRuns()]);
    },
    resumeRun: async (target) => {
      const run = await resumable(options, target);
      if (run?.file == null) return;
      const title = vscode.l10n.t("resume {0}", run.name);
      await train(vscode.Uri.file(run.file.configPath), { resume: run.folder }, title);
    },
  } satisfies Partial<CommandHandlers>;
}

/** Arguments of a stage's lens; `config` is its configuration's URI. */
const stageLens = z.object({ config: z.unknown(), stage: z.string() });

/** Short enough for a one-line notification; the dashboard explains what the model learns. */
function demoText({ uri, isNew }: DemoConfig): string {
  const name = basename(uri.fsPath);
  return isNew ? vscode.l10n.t("wrote {0}", name) : vscode.l10n.t("uses {0}", name);
}

/** Resolves once the configuration's training has a run, is waiting, or did not start, and when its task ends. */
function isUnderWay(
  trainings: StartHandlerOptions["trainings"],
  config: vscode.Uri,
  { definition }: vscode.Task,
) {
  return new Promise<void>((resolve) => {
    const end = (): void => {
      listening.dispose();
      ended.dispose();
      clearTimeout(timer);
      resolve();
    };
    const listening = trainings.onDidChange(() => {
      const own = trainings.active.find(({ request }) => request.configPath === config.fsPath);
      if (own?.folder !== null) end();
    });
    // A start that the user cancels causes no change of a training.
    const ended = vscode.tasks.onDidEndTask(({ execution: { task } }) => {
      if (isDeepStrictEqual({ ...task.definition }, definition)) end();
    });
    const timer = setTimeout(end, START_MS);
  });
}

function offerSweeps(): Promise<void> {
  return offerInstead(vscode.l10n.t("In the Runs view, select a sweep."), [showRuns()]);
}

function resumable(options: ChooseRunOptions, target: unknown): Promise<RunEntry | undefined> {
  return chooseRun(options, target, {
    placeHolder: vscode.l10n.t("Which run do you want to resume?"),
    none: vscode.l10n.t("No run here can be resumed. Start Training starts a new one."),
    fits: isResumable,
  });
}

/** True if the estimate is free, or the user accepts its cost. */
async function mayEstimate(
  server: Pick<Server, "request">,
  uri: vscode.Uri,
  grid: readonly string[],
): Promise<boolean> {
  const request: BasisRequest = { configPath: uri.fsPath, overrides: settingOverrides(uri), grid };
  const outcome = await server.request<RequestOutcome<EstimateBasis>>(
    ESTIMATE_REQUESTS.basis,
    request,
  );
  // The program reports what is wrong with the configuration.
  if (!outcome.ok) return true;
  const { pastRun, model, isBilled } = outcome.value;
  if (!isBilled || pastRun !== null) return true;
  const play = vscode.l10n.t("Sample Groups");
  const answer = await plainWindow.showInformationMessage(
    vscode.l10n.t(
      "There is no past run with these environments and this model. Sample {0} groups in each environment with {1} instead? The service bills them; no weights are changed.",
      DRY_RUN_GROUPS,
      model,
    ),
    { modal: true },
    play,
  );
  return answer === play;
}

function hasEnded(execution: vscode.TaskExecution): Promise<void> {
  return new Promise((resolve) => {
    const listening = vscode.tasks.onDidEndTask((event) => {
      if (event.execution !== execution) return;
      listening.dispose();
      resolve();
    });
  });
}

/** Asked beside the estimate, which a dialog would cover. */
async function wantsStart({ runs }: AskedSweep): Promise<boolean> {
  const start = vscode.l10n.t("Start Sweep");
  const text = plural(runs, "Start the sweep with {0} run?", "Start the sweep with {0} runs?");
  return (await plainWindow.showInformationMessage(text, start)) === start;
}
