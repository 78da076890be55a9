/** Creates the configuration of a run that starts from another run's checkpoint; the user decides whether to start it. */

import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import type { AlarmEdit } from "../../core/alarms/alarmEdits.ts";
import type { FiringAlarm } from "../../core/alarms/alarmEvents.ts";
import { editText } from "../../core/alarms/formatSettingChange.ts";
import {
  branchFileName,
  branchRunName,
  branchText,
} from "../../core/config/editing/edits/branch.ts";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import {
  type ResumableEntry,
  readCheckpoints,
  usableCheckpoints,
  withState,
} from "../../core/runFolder/checkpointLog.ts";
import { startConfig } from "../../node/startConfig.ts";
import { formatCount } from "../../shared/format.ts";
import { nearestSave } from "../../shared/nearestSave.ts";
import { commandName } from "../manifest/commandTable.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { readSetting } from "../vscode/settings.ts";
import { isTaken, unsavedDocument } from "../vscode/workspaceText.ts";

export interface BranchOptions {
  readonly fileSystem: FileSystem;
  /** Folder of the original run. */
  readonly folder: string;
  readonly checkpoint: Pick<ResumableEntry, "name" | "state_path" | "step">;
  readonly edits: readonly AlarmEdit[];
}

/** Branches from the last save before an alarm, with the alarm's suggested changes. @throws like {@link branchRun}; `no-such-checkpoint` */
export async function resumeBefore(
  fileSystem: FileSystem,
  folder: string,
  { step, edits }: Pick<FiringAlarm, "edits" | "step">,
): Promise<void> {
  const checkpoint = await saveBefore(fileSystem, folder, step);
  if (checkpoint === null) {
    throw new AppError(
      "no-such-checkpoint",
      vscode.l10n.t(
        "The run has no checkpoint before step {0}. Lower save_every to save more often.",
        formatCount(step + 1),
      ),
    );
  }
  await branchRun({ fileSystem, folder, checkpoint, edits });
}

/** The last save before `step` (from 0); null if there is none. */
export async function saveBefore(
  fileSystem: FileSystem,
  folder: string,
  step: number,
): Promise<ResumableEntry | null> {
  const entries = await readCheckpoints(fileSystem.within(folder), folder);
  return nearestSave(withState(usableCheckpoints(entries, Date.now())), step);
}

/** Opens it unsaved, like a quick fix. @throws AppError `no-config`, or like {@link startConfig} */
export async function branchRun(options: BranchOptions): Promise<void> {
  const { fileSystem, folder, checkpoint, edits } = options;
  const { text, path, overrides } = await startConfig(fileSystem, {
    resume: folder,
    overrides: [],
  });
  const from = { run: basename(folder), checkpoint: checkpoint.name, step: checkpoint.step };
  const runName = branchRunName({ runName: from.run, step: from.step });
  const { state_path: statePath } = checkpoint;
  // The path comes from the run folder, which may come from anyone.
  const branch = { overrides, statePath, edits, runName, from };
  const changed = branchText(text, branch, { path });
  if (changed === null) {
    throw new AppError("no-config", `${basename(path)} is no longer a configuration.`);
  }
  const uri = await freeName(path, checkpoint.step);
  const document = await unsavedDocument(uri, changed);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
  await offerStart(document, options);
}

async function offerStart(
  document: vscode.TextDocument,
  { checkpoint, edits }: BranchOptions,
): Promise<void> {
  const name = basename(document.uri.path);
  const settings = edits.map(editText).join(", ");
  const text =
    edits.length === 0
      ? vscode.l10n.t("{0} starts from {1}. Change what should differ.", name, checkpoint.name)
      : vscode.l10n.t("{0} starts from {1} and has {2}.", name, checkpoint.name, settings);
  const start = async (): Promise<void> => {
    const saved = await vscode.workspace.save(document.uri);
    if (saved !== undefined) {
      await vscode.commands.executeCommand(commandName("startTraining"), saved);
    }
  };
  await plainWindow.offer("Information", text, [[vscode.l10n.t("Save and Start"), start]]);
}

/** An unused name next to `path` that matches the configuration patterns, with `-2` and so on if needed. */
async function freeName(path: string, step: number): Promise<vscode.Uri> {
  const patterns = readSetting("config.files", vscode.Uri.file(path));
  for (let count = 1; ; count += 1) {
    const name = branchFileName({ fileName: basename(path), step }, patterns, count);
    const uri = vscode.Uri.file(join(dirname(path), name));
    if (!(await isTaken(uri))) return uri;
  }
}
