/** Handlers of the commands about a run's folder. */

import { join } from "node:path";
import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import { runLogUri } from "../views/runLogDocuments.ts";
import { askForFolder } from "../vscode/askForFolder.ts";
import { isThere } from "../vscode/isThere.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { isRemoteWindow, showFolder } from "../vscode/showFolder.ts";
import {
  type ChooseRunOptions,
  chooseAnyRun,
  chooseEndedRun,
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
    copyRunPath: async (target) => {
      const run = await chooseAnyRun(options, target);
      if (run !== undefined) await vscode.env.clipboard.writeText(run.folder);
    },
    openRunLog: async (target) => {
      const run = await chooseAnyRun(options, target);
      if (run === undefined) return;
      const document = await vscode.workspace.openTextDocument(runLogUri(run.folder));
      await vscode.window.showTextDocument(document, { preview: true });
    },
    deleteRun: async (target) => {
      const run = await chooseEndedRun(options, target, {
        fits: () => true,
        noneEnded: vscode.l10n.t(
          "No run can be deleted: those listed are still running. Stop them first.",
        ),
      });
      if (run !== undefined && (await isSure(options.fileSystem, run))) await remove(options, run);
    },
  } satisfies Partial<CommandHandlers>;
}

async function remove(
  { store, labels, finder }: FolderHandlerOptions,
  run: RunEntry,
): Promise<void> {
  // The run may have been resumed while the question was open.
  await store.refresh();
  refuseLive(store.get(run.folder) ?? run);
  await vscode.workspace.fs.delete(vscode.Uri.file(run.folder), {
    recursive: true,
    useTrash: !isRemoteWindow(),
  });
  await labels.forget(run.folder);
  await finder.find();
}

async function askForRun(): Promise<string | null> {
  const picked = await askForFolder({
    title: vscode.l10n.t("Open Run Folder"),
    openLabel: vscode.l10n.t("Open Run"),
  });
  if (picked === undefined) return null;
  const metrics = vscode.Uri.file(join(picked.fsPath, "metrics.jsonl"));
  if (await isThere(metrics)) return picked.fsPath;
  throw new Error(
    vscode.l10n.t("{0} is not a run folder: it has no metrics.jsonl.", picked.fsPath),
  );
}

async function isSure(fileSystem: FileSystem, run: RunEntry): Promise<boolean> {
  const isFinal = isRemoteWindow();
  const yes = isFinal ? vscode.l10n.t("Delete Permanently") : vscode.l10n.t("Move to Trash");
  const model = await readRunModel(fileSystem.within(run.folder), run.folder);
  const where =
    model !== null && isLocalModel(model.model_name)
      ? vscode.l10n.t("Its checkpoints on this computer are kept.")
      : vscode.l10n.t("Its checkpoints at the service are kept.");
  const what = isFinal
    ? vscode.l10n.t("Its metrics and rollouts cannot be brought back.")
    : vscode.l10n.t("Its metrics and rollouts are moved to the trash.");
  const detail = `${run.folder}\n${what} ${where}`;
  const title = vscode.l10n.t("Delete the run {0}?", run.name);
  return (await plainWindow.showWarningMessage(title, { modal: true, detail }, yes)) === yes;
}
