/** Handlers of the commands about a run's folder and its place in the list. */

import { basename, join } from "node:path";
import * as vscode from "vscode";
import { isLocalModel } from "../../core/config/presets.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readModel } from "../catalogue/runCheckpoints.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { RunEntry } from "../runs/runStore.ts";
import { runLogUri } from "../views/runLogDocuments.ts";
import type { RunsView } from "../views/runsView.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { type ChooseRunOptions, chooseRun, folderOf } from "./chooseRun.ts";

const SHOWN_MS = 5_000;

type FolderCommand =
  | "importRun"
  | "refreshRuns"
  | "openRunFolder"
  | "copyRunPath"
  | "openRunLog"
  | "renameRun"
  | "archiveRun"
  | "restoreRun"
  | "showArchivedRuns"
  | "hideArchivedRuns"
  | "deleteRun";

export interface FolderHandlerOptions extends ChooseRunOptions {
  readonly finder: RunFinder;
  readonly view: RunsView;
  readonly fileSystem: FileSystem;
  /** Shows a run. */
  readonly open: (folder: string) => void;
}

export function folderHandlers(
  options: FolderHandlerOptions,
): Pick<CommandHandlers, FolderCommand> {
  const { finder, view, labels, open } = options;
  const any = (target: unknown, fits = (_: RunEntry): boolean => true) =>
    chooseRun(options, target, {
      placeHolder: vscode.l10n.t("Which run?"),
      none: vscode.l10n.t("There is no such run here."),
      fits,
    });
  const archive = async ({ folder }: RunEntry, isArchived: boolean): Promise<void> => {
    await labels.setArchived(folder, isArchived);
    view.redraw();
  };
  const showArchived = async (isShown: boolean): Promise<void> => {
    view.showArchived(isShown);
    await setContextKey("archivedShown", isShown);
  };
  return {
    refreshRuns: () => finder.find(),
    importRun: async (target) => {
      const folder = folderOf(target) ?? (await askForRun());
      if (folder === null) return;
      await labels.addOpened(folder);
      await finder.find();
      open(folder);
    },
    openRunFolder: async (target) => {
      const run = await any(target);
      if (run === undefined) return;
      const uri = vscode.Uri.file(run.folder);
      const isInWorkspace = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
      await vscode.commands.executeCommand(
        isInWorkspace ? "revealInExplorer" : "revealFileInOS",
        uri,
      );
    },
    copyRunPath: async (target) => {
      const run = await any(target);
      if (run !== undefined) await vscode.env.clipboard.writeText(run.folder);
    },
    openRunLog: async (target) => {
      const run = await any(target);
      if (run === undefined) return;
      const document = await vscode.workspace.openTextDocument(runLogUri(run.folder));
      await vscode.window.showTextDocument(document, { preview: true });
    },
    renameRun: async (target) => {
      const run = await any(target);
      if (run === undefined) return;
      const name = await plainWindow.showInputBox({
        title: vscode.l10n.t("Rename {0}", run.name),
        prompt: vscode.l10n.t("The name in the list; the folder stays {0}.", basename(run.folder)),
        value: run.name,
      });
      if (name === undefined) return;
      await labels.rename(run.folder, name.trim());
      await options.store.refresh();
    },
    archiveRun: async (target) => {
      const run = await any(target, ({ isLive, folder }) => !isLive && !labels.isArchived(folder));
      if (run === undefined) return;
      await archive(run, true);
      plainWindow.setStatusBarMessage(
        vscode.l10n.t("{0} is archived. Show Archived Runs lists it again.", run.name),
        SHOWN_MS,
      );
    },
    restoreRun: async (target) => {
      const run = await any(target, ({ folder }) => labels.isArchived(folder));
      if (run !== undefined) await archive(run, false);
    },
    showArchivedRuns: () => showArchived(true),
    hideArchivedRuns: () => showArchived(false),
    deleteRun: async (target) => {
      const run = await any(target, ({ isLive }) => !isLive);
      if (run === undefined || !(await isSure(options.fileSystem, run))) return;
      // It may have been resumed since.
      await options.store.refresh();
      refuseLive(options.store.get(run.folder) ?? run);
      await vscode.workspace.fs.delete(vscode.Uri.file(run.folder), {
        recursive: true,
        useTrash: true,
      });
      await labels.forget(run.folder);
      await finder.find();
    },
  };
}

async function askForRun(): Promise<string | null> {
  const [picked] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Open Run Folder"),
      openLabel: vscode.l10n.t("Open Run"),
      canSelectFiles: false,
      canSelectFolders: true,
    })) ?? [];
  if (picked === undefined) return null;
  const metrics = vscode.Uri.file(join(picked.fsPath, "metrics.jsonl"));
  const hasMetrics = await vscode.workspace.fs.stat(metrics).then(
    () => true,
    () => false,
  );
  if (hasMetrics) return picked.fsPath;
  throw new Error(
    vscode.l10n.t("{0} holds no metrics.jsonl, so it is no run folder.", picked.fsPath),
  );
}

function refuseLive(run: RunEntry): void {
  if (run.isLive) throw new Error(vscode.l10n.t("{0} is under way. Stop it first.", run.name));
}

async function isSure(fileSystem: FileSystem, run: RunEntry): Promise<boolean> {
  refuseLive(run);
  const yes = vscode.l10n.t("Move to Trash");
  const { model } = await readModel(fileSystem.within(run.folder), run.folder);
  const where =
    model !== null && isLocalModel(model)
      ? vscode.l10n.t("Its checkpoints on this computer stay.")
      : vscode.l10n.t("Its checkpoints at the service stay.");
  const what = vscode.l10n.t("Its metrics and trajectories go to the trash.");
  const detail = `${run.folder}\n${what} ${where}`;
  const title = vscode.l10n.t("Delete the run {0}?", run.name);
  return (await plainWindow.showWarningMessage(title, { modal: true, detail }, yes)) === yes;
}
