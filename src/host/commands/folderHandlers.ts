/** Handlers of the commands for run folders. */

import { join } from "node:path";
import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import { formatCount } from "../../shared/format.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import { runLogUri } from "../views/runLogDocuments.ts";
import { askForFolder, isRemoteWindow, showFolder } from "../vscode/folders.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { isThere } from "../vscode/workspaceText.ts";
import {
  type ChooseRunOptions,
  chooseAnyRun,
  chooseEndedRuns,
  chooseRuns,
  folderOf,
  refuseLive,
} from "./chooseRun.ts";

export interface FolderHandlerOptions extends ChooseRunOptions {
  readonly finder: RunFinder;
  readonly fileSystem: FileSystem;
  /** Shows a run. */
  readonly open: (folder: string) => void;
}

export function folderHandlers(options: FolderHandlerOptions) {
  return {
    importRun: async (target) => {
      const folder = folderOf(target) ?? (await askForRun());
      if (folder === null) return;
      await options.labels.addOpened(folder);
      await options.finder.find();
      options.open(folder);
    },
    openRunFolder: async (target) => {
      const run = await chooseAnyRun(options, target);
      if (run === undefined) return;
      await showFolder(vscode.Uri.file(run.folder));
    },
    copyRunPath: async (...called) => {
      const runs = await chooseRuns(options, called);
      if (runs.length > 0) await vscode.env.clipboard.writeText(foldersText(runs));
    },
    openRunLog: async (target) => {
      const run = await chooseAnyRun(options, target);
      if (run === undefined) return;
      const document = await vscode.workspace.openTextDocument(runLogUri(run.folder));
      await vscode.window.showTextDocument(document, { preview: true });
    },
    deleteRun: async (...called) => {
      const runs = await chooseEndedRuns(options, called, {
        fits: () => true,
        noneEnded: vscode.l10n.t(
          "No run can be deleted: those listed are still running. Stop them first.",
        ),
      });
      if (runs.length > 0 && (await isSure(options.fileSystem, runs))) await remove(options, runs);
    },
  } satisfies Partial<CommandHandlers>;
}

async function remove(
  { store, labels, finder }: FolderHandlerOptions,
  runs: readonly RunEntry[],
): Promise<void> {
  // A run may have been resumed while the dialog was open.
  await store.refresh();
  for (const run of runs) refuseLive(store.get(run.folder) ?? run);
  try {
    for (const { folder } of runs) {
      await vscode.workspace.fs.delete(vscode.Uri.file(folder), {
        recursive: true,
        useTrash: !isRemoteWindow(),
      });
      await labels.forget(folder);
    }
  } finally {
    await finder.find();
  }
}

function foldersText(runs: readonly RunEntry[]): string {
  return runs.map(({ folder }) => folder).join("\n");
}

async function askForRun(): Promise<string | null> {
  const picked = await askForFolder({
    title: vscode.l10n.t("Open Run Folder"),
    openLabel: vscode.l10n.t("Open Run"),
  });
  if (picked === undefined) return null;
  // A run of the Python program has only metrics; an evaluation, or a run before its first step, has none.
  for (const name of ["run.json", "metrics.jsonl"]) {
    if (await isThere(vscode.Uri.file(join(picked.fsPath, name)))) return picked.fsPath;
  }
  throw new Error(
    vscode.l10n.t(
      "{0} is not a run folder: it has neither run.json nor metrics.jsonl.",
      picked.fsPath,
    ),
  );
}

/** More lines would not fit on a small screen. */
const MAX_LISTED = 10;

async function isSure(fileSystem: FileSystem, runs: readonly RunEntry[]): Promise<boolean> {
  const yes = isRemoteWindow()
    ? vscode.l10n.t("Delete Permanently")
    : vscode.l10n.t("Move to Trash");
  const [first, ...others] = runs;
  const isOne = first !== undefined && others.length === 0;
  const title = isOne
    ? vscode.l10n.t("Delete the run {0}?", first.name)
    : vscode.l10n.t("Delete {0} runs?", formatCount(runs.length));
  const consequence = isOne ? await oneDeleted(fileSystem, first) : severalDeleted();
  const more = runs.length - MAX_LISTED;
  const rest = more > 0 ? `\n${vscode.l10n.t("and {0} more", formatCount(more))}` : "";
  const detail = `${foldersText(runs.slice(0, MAX_LISTED))}${rest}\n${consequence}`;
  return plainWindow.confirm(title, detail, yes);
}

async function oneDeleted(fileSystem: FileSystem, { folder }: RunEntry): Promise<string> {
  const model = await readRunModel(fileSystem.within(folder), folder);
  const where =
    model !== null && isLocalModel(model.model_name)
      ? vscode.l10n.t("Its checkpoints on this computer are kept.")
      : vscode.l10n.t("Its checkpoints at the service are kept.");
  const what = isRemoteWindow()
    ? vscode.l10n.t("Its metrics and rollouts cannot be brought back.")
    : vscode.l10n.t("Its metrics and rollouts are moved to the trash.");
  return `${what} ${where}`;
}

function severalDeleted(): string {
  const what = isRemoteWindow()
    ? vscode.l10n.t("Their metrics and rollouts cannot be brought back.")
    : vscode.l10n.t("Their metrics and rollouts are moved to the trash.");
  return `${what} ${vscode.l10n.t("Their checkpoints are kept.")}`;
}
