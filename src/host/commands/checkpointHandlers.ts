/** Handlers of the commands about saved weights. */

import * as vscode from "vscode";
import { setValue } from "../../core/config/editing/edits/setValue.ts";
import { type CheckpointEntry, usableCheckpoints } from "../../core/runFolder/checkpointLog.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import { applyTextEdits } from "../config/textEdits.ts";
import type { RunStore } from "../runs/runStore.ts";
import type { TaskProvider } from "../task/taskProvider.ts";
import type { CheckpointsView } from "../views/checkpointsView.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { offerInstead, offersToTrain } from "./offerInstead.ts";
import { type CheckpointRemovalOptions, removeCheckpoint } from "./removeCheckpoint.ts";

type CheckpointCommand =
  | "startFromCheckpoint"
  | "copyCheckpointPath"
  | "insertCheckpointPath"
  | "deleteCheckpoint"
  | "refreshCheckpoints";

export interface CheckpointHandlerOptions {
  readonly store: RunStore;
  readonly tasks: TaskProvider;
  readonly view: CheckpointsView;
  readonly read: (folder: string) => Promise<readonly CheckpointEntry[]>;
  readonly removal: CheckpointRemovalOptions;
}

interface Chosen {
  readonly folder: string;
  readonly entry: CheckpointEntry;
}

export function checkpointHandlers(
  options: CheckpointHandlerOptions,
): Pick<CommandHandlers, CheckpointCommand> {
  return {
    refreshCheckpoints: () => options.view.refresh(),
    copyCheckpointPath: async (target) => {
      const chosen = await choose(options, target);
      const path = chosen === undefined ? null : pathOf(chosen.entry);
      if (path !== null) await vscode.env.clipboard.writeText(path);
    },
    insertCheckpointPath: async (target) => {
      const chosen = await choose(options, target);
      const path = chosen?.entry.state_path ?? null;
      if (path !== null) await useInConfig(path);
    },
    deleteCheckpoint: async (target) => {
      const chosen = await choose(options, target);
      const run = options.store.get(chosen?.folder ?? "");
      if (chosen === undefined || run === null) return;
      if (await removeCheckpoint(run, chosen.entry, options.removal)) options.view.refresh();
    },
    startFromCheckpoint: async (target) => {
      const chosen = await choose(options, target);
      const path = chosen?.entry.state_path ?? null;
      const configPath = options.store.get(chosen?.folder ?? "")?.file?.configPath;
      if (path === null || configPath === undefined) return;
      await startFrom(options, vscode.Uri.file(configPath), path);
    },
  };
}

async function startFrom(
  { tasks }: CheckpointHandlerOptions,
  config: vscode.Uri,
  path: string,
): Promise<void> {
  const items = [
    {
      label: vscode.l10n.t("Weights and Optimizer"),
      detail: vscode.l10n.t("Goes on as the run would have."),
      optimizer: true,
    },
    {
      label: vscode.l10n.t("Weights Only"),
      detail: vscode.l10n.t("The optimizer begins anew, for example for another learning rate."),
      optimizer: false,
    },
  ];
  const picked = await plainWindow.showQuickPick(items, {
    title: vscode.l10n.t("Start a new run from {0}", path),
  });
  if (picked === undefined) return;
  const folder = vscode.workspace.getWorkspaceFolder(config);
  const task = tasks.training(
    {
      config: config.fsPath,
      overrides: { [picked.optimizer ? "resume_from" : "init_from"]: path },
    },
    folder,
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

async function choose(
  { store, read }: CheckpointHandlerOptions,
  target: unknown,
): Promise<Chosen | undefined> {
  const { folder, name } = (target ?? {}) as { folder?: unknown; name?: unknown }; // both are looked at below
  if (typeof folder === "string" && typeof name === "string") {
    const entry = (await read(folder)).findLast((each) => each.name === name);
    if (entry !== undefined) return { folder, entry };
    const gone = vscode.l10n.t("The checkpoint {0} is not in its run any more.", name);
    await offerInstead(gone, []);
    return undefined;
  }
  const items: (vscode.QuickPickItem & Chosen)[] = [];
  for (const run of store.runs) {
    for (const entry of usableCheckpoints(await read(run.folder), Date.now()).toReversed()) {
      items.push({
        label: vscode.l10n.t("{0} · step {1}", run.name, entry.step),
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

function pathOf({ state_path, sampler_path }: CheckpointEntry): string | null {
  return state_path ?? sampler_path;
}
