/** Handlers of the checkpoint commands. */

import * as vscode from "vscode";
import * as z from "zod";
import type { RunEntry } from "../../api/runs.ts";
import { setValue } from "../../core/config/editing/edits/setValue.ts";
import {
  type CheckpointEntry,
  type ResumableEntry,
  withState,
} from "../../core/runFolder/checkpointLog.ts";
import { safeAddress } from "../../core/secrets/serviceHosts.ts";
import { checkpointPage } from "../../core/tinker/paths.ts";
import { formatCount } from "../../shared/format.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import { applyTextEdits } from "../config/textEdits.ts";
import type { Keys } from "../keys/createKeys.ts";
import { branchRun } from "../runs/branchRun.ts";
import type { TaskProvider } from "../task/taskProvider.ts";
import type { CheckpointsView } from "../views/checkpointsView.ts";
import type { RunsView } from "../views/runsView.ts";
import type { SavedSource } from "../views/savedCheckpoints.ts";
import { offerInstead, offersToTrain } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { askEvaluation, type KnownSplits } from "./askEvaluation.ts";
import {
  type CheckpointChangeOptions,
  type CheckpointPlace,
  keepCheckpoint,
  keepLastState,
  modelOf,
  placeOf,
  removeCheckpoint,
  shareCheckpoint,
} from "./changeCheckpoint.ts";
import type { CheckpointRequestOptions } from "./checkpointRequests.ts";
import { type ChooseRunOptions, chooseAnyRun, chooseRun, listedRun } from "./chooseRun.ts";
import { downloadCheckpoint } from "./downloadCheckpoint.ts";

export interface CheckpointHandlerOptions extends ChooseRunOptions, CheckpointRequestOptions {
  readonly tasks: TaskProvider;
  readonly catalogue: KnownSplits;
  readonly checkpoints: Pick<CheckpointsView, "refresh">;
  readonly runsView: Pick<RunsView, "redraw">;
  readonly saved: Pick<SavedSource, "read" | "usable">;
  readonly changes: CheckpointChangeOptions;
}

interface Chosen {
  readonly folder: string;
  readonly entry: CheckpointEntry;
}

export function checkpointHandlers(options: CheckpointHandlerOptions) {
  /** Wraps a handler so that it receives the checkpoint it was called on, or that the user picks. */
  const onChosen = (act: (chosen: Chosen) => Promise<void>) => {
    return async (target?: unknown): Promise<void> => {
      const chosen = await choose(options, target);
      if (chosen !== undefined) await act(chosen);
    };
  };
  const on = (act: (run: RunEntry, entry: CheckpointEntry) => Promise<void>) =>
    onChosen(async ({ folder, entry }) => {
      const run = await listedRun(options.store, folder);
      if (run !== undefined) await act(run, entry);
    });
  return {
    refreshCheckpoints: () => redraw(options),
    copyCheckpointPath: onChosen(async ({ entry: { state_path, sampler_path } }) => {
      await vscode.env.clipboard.writeText(state_path ?? sampler_path ?? "");
    }),
    openCheckpointPage: on(async (run, entry) => {
      const place = await placeOf(run, options.changes);
      await openCheckpointPage(run, entry, place, options.keys);
    }),
    insertCheckpointPath: onChosen(({ entry }) => useInConfig(requireState(entry).state_path)),
    deleteCheckpoint: on(async (run, entry) => {
      if (await removeCheckpoint(run, entry, options.changes)) redraw(options);
    }),
    branchFromCheckpoint: onChosen(async ({ folder, entry }) => {
      const { fileSystem } = options.changes;
      await branchRun({ fileSystem, folder, checkpoint: requireState(entry), edits: [] });
    }),
    evaluateCheckpoint: on(async (run, { sampler_path: path }) => {
      if (path === null) {
        const text = vscode.l10n.t(
          "This checkpoint has only training state. The run saved no weights to sample from with it.",
        );
        await offerInstead(text);
        return;
      }
      await evaluateBesideBase(options, run, path);
    }),
    downloadCheckpoint: on(async (run, entry) => {
      const place = await placeOf(run, options.changes);
      const { model_name: baseModel } = await modelOf(run, options.changes);
      await downloadCheckpoint(run, entry, { place, baseModel }, options);
    }),
    keepCheckpoint: on(async (run, entry) => {
      if (await keepCheckpoint(run, entry, options.changes)) await refresh(options);
    }),
    keepLastState: async (target) => {
      const run = await chooseRun(options, target, {
        placeHolder: vscode.l10n.t("Keep the last state of which run?"),
        none: vscode.l10n.t("No checkpoints here expire."),
        fits: ({ expiry }) => expiry !== null,
      });
      if (run === undefined) return;
      if (!(await keepLastState(run, options.changes))) return;
      await refresh(options);
      const text = vscode.l10n.t("The last state of {0} is kept until it is deleted.", run.name);
      plainWindow.setStatusBarMessage(text);
    },
    publishCheckpoint: on((run, entry) => share(options, run, entry, "publish")),
    unpublishCheckpoint: on((run, entry) => share(options, run, entry, "unpublish")),
    startFromCheckpoint: on(async ({ file }, entry) => {
      if (file === null) return;
      const { state_path: path } = requireState(entry);
      await startFrom(options, vscode.Uri.file(file.configPath), path);
    }),
  } satisfies Partial<CommandHandlers>;
}

/** @throws Error if its state was deleted and only its weights for sampling are left */
function requireState(entry: CheckpointEntry): ResumableEntry {
  const [found] = withState([entry]);
  if (found !== undefined) return found;
  throw new Error(
    vscode.l10n.t(
      "The training state of {0} was deleted, so nothing can start from it.",
      entry.name,
    ),
  );
}

async function share(
  options: CheckpointHandlerOptions,
  run: RunEntry,
  entry: CheckpointEntry,
  action: "publish" | "unpublish",
): Promise<void> {
  if (!(await shareCheckpoint(run, entry, action, options.changes))) return;
  const text =
    action === "publish"
      ? vscode.l10n.t("{0} is public now, for everyone who knows its address.", entry.name)
      : vscode.l10n.t("{0} is no longer public.", entry.name);
  plainWindow.setStatusBarMessage(text);
}

/** Also refreshes the runs, because their rows show when the last state expires. */
async function refresh(options: CheckpointHandlerOptions): Promise<void> {
  redraw(options);
  await options.store.refresh();
}

/** Checkpoints are in two views. */
function redraw({ checkpoints, runsView }: CheckpointHandlerOptions): void {
  checkpoints.refresh();
  runsView.redraw();
}

async function startFrom(
  { tasks }: CheckpointHandlerOptions,
  config: vscode.Uri,
  path: string,
): Promise<void> {
  const items = [
    {
      label: vscode.l10n.t("Weights and Optimizer"),
      detail: vscode.l10n.t("Continues exactly like the run."),
      optimizer: true,
    },
    {
      label: vscode.l10n.t("Weights Only"),
      detail: vscode.l10n.t("Starts with a new optimizer, for example for another learning rate."),
      optimizer: false,
    },
  ];
  const picked = await plainWindow.showQuickPick(items, {
    title: vscode.l10n.t("Start New Run from {0}", path),
  });
  if (picked === undefined) return;
  const overrides = { [picked.optimizer ? "resume_from" : "init_from"]: path };
  await vscode.tasks.executeTask(tasks.taskOf(config, { overrides }));
}

async function evaluateBesideBase(
  { tasks, catalogue }: CheckpointHandlerOptions,
  { name, folder, file }: RunEntry,
  path: string,
): Promise<void> {
  const overrides = await askEvaluation(folder, catalogue);
  if (overrides === undefined) return;
  const config = vscode.Uri.file(file?.configPath ?? "");
  const models = ["base", path];
  const task = tasks.taskOf(
    config,
    { action: "evaluate", models, resume: folder, overrides },
    vscode.l10n.t("evaluate {0}", name),
  );
  await vscode.tasks.executeTask(task);
}

async function useInConfig(path: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || !isConfigDocument(document)) {
    throw new Error(
      vscode.l10n.t("Open the configuration that should start from this checkpoint."),
    );
  }
  const edits = setValue(document.getText(), ["resume_from"], path, { path: document.fileName });
  await applyTextEdits(document, edits);
}

/** A checkpoint's row, or a button of the dashboard. */
const checkpointRow = z.object({ folder: z.string(), name: z.string() });

/** The checkpoint of a row, or one that the user picks: of the run if it is called on a run, otherwise of all runs. */
async function choose(
  options: CheckpointHandlerOptions,
  target: unknown,
): Promise<Chosen | undefined> {
  const { store, saved } = options;
  const row = checkpointRow.safeParse(target).data;
  if (row !== undefined) {
    const { folder, name } = row;
    const entry = (await saved.read(folder)).findLast((each) => each.name === name);
    if (entry !== undefined) return { folder, entry };
    const gone = vscode.l10n.t("The checkpoint {0} is no longer in its run.", name);
    await offerInstead(gone);
    return undefined;
  }
  const own = target == null ? null : await chooseAnyRun(options, target);
  if (own === undefined) return undefined;
  const items: (vscode.QuickPickItem & Chosen)[] = [];
  for (const run of own === null ? store.runs : [own]) {
    for (const entry of await saved.usable(run.folder)) {
      items.push({
        label: vscode.l10n.t("{0} · step {1}", run.name, formatCount(entry.step)),
        description: entry.kind,
        folder: run.folder,
        entry,
      });
    }
  }
  if (items.length === 0) {
    const text = vscode.l10n.t("There are no checkpoints here. A run saves one every few steps.");
    await offerInstead(text, offersToTrain());
    return undefined;
  }
  return plainWindow.showQuickPick(items, { placeHolder: vscode.l10n.t("Which checkpoint?") });
}

/** @throws Error for checkpoints on this computer or at another service */
export async function openCheckpointPage(
  run: RunEntry,
  { state_path, sampler_path }: CheckpointEntry,
  place: CheckpointPlace,
  keys: Pick<Keys, "variables">,
): Promise<void> {
  const address =
    place.kind === "Tinker" ? (place.baseUrl ?? safeAddress("tinker", keys.variables())) : null;
  const path = state_path ?? sampler_path;
  const page = path === null || address === null ? null : checkpointPage(path, address);
  if (page === null) {
    throw new Error(
      vscode.l10n.t("The service of {0} has no web pages for its checkpoints.", run.name),
    );
  }
  // VS Code also accepts a string, and only a string keeps the escaped slash, which a URI would unescape.
  await vscode.env.openExternal(page as unknown as vscode.Uri); // for the reason above
}
