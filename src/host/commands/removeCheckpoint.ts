/** Deletes a checkpoint permanently, after a confirmation that says what will be lost. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import type { FolderFiles } from "../../core/ports.ts";
import type { CheckpointEntry } from "../../core/runFolder/checkpointLog.ts";
import { newestUnexpired, readResumePoints } from "../../core/runFolder/resumePoints.ts";
import { formatCount } from "../../shared/format.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import {
  type CheckpointChangeOptions,
  type CheckpointPlace,
  pathsOf,
  placeOf,
  questionText,
} from "./changeCheckpoint.ts";
import { refuseLive } from "./chooseRun.ts";

/** True once it no longer exists. @throws Error if its run is live, or the service refuses */
export async function removeCheckpoint(
  run: RunEntry,
  entry: CheckpointEntry,
  options: CheckpointChangeOptions,
): Promise<boolean> {
  refuseLive(run);
  const place = await placeOf(run, options);
  const loss = await lossOf(run, entry, {
    files: options.fileSystem.within(run.folder),
    now: options.now,
  });
  const addresses = await questionText({ place, entry, run }, options);
  if (!(await isSure(run, entry, { place, addresses, loss }))) return false;
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t("Deleting {0}", entry.name),
  };
  await plainWindow.withProgress(progress, () =>
    options.change(place, { paths: pathsOf(entry), change: { action: "delete" } }),
  );
  // A run's files are append-only: a later entry marks the checkpoint as gone.
  const expires_at = new Date(options.now()).toISOString();
  await options.append(run.folder, { ...entry, expires_at });
  return true;
}

/** What a resume would lose, as a sentence; empty if no resume would use the checkpoint. */
async function lossOf(
  { folder }: RunEntry,
  { state_path }: CheckpointEntry,
  { files, now }: { readonly files: FolderFiles; readonly now: () => number },
): Promise<string> {
  const points = await readResumePoints(files, folder, now()).catch(() => []);
  if (newestUnexpired(points, now())?.statePath !== state_path) return "";
  const others = points.filter(({ statePath }) => statePath !== state_path);
  const next = newestUnexpired(others, now());
  return next === null
    ? vscode.l10n.t("A resume begins with this checkpoint. Without it, the run cannot be resumed.")
    : vscode.l10n.t(
        "A resume begins with this checkpoint. Without it, a resume begins after step {0}.",
        formatCount(next.state.step),
      );
}

async function isSure(
  run: RunEntry,
  entry: CheckpointEntry,
  {
    place,
    addresses,
    loss,
  }: { readonly place: CheckpointPlace; readonly addresses: string; readonly loss: string },
): Promise<boolean> {
  const { name, step } = entry;
  const where =
    place.kind === "Tinker"
      ? vscode.l10n.t("It was saved after step {0} and is deleted at Tinker.", formatCount(step))
      : vscode.l10n.t(
          "It was saved after step {0} and is deleted from this computer.",
          formatCount(step),
        );
  const end = vscode.l10n.t("This cannot be undone.");
  const detail = [where, addresses, loss, end].filter(Boolean).join("\n");
  const yes = vscode.l10n.t("Delete Checkpoint");
  const title = vscode.l10n.t("Delete the checkpoint {0} of {1}?", name, run.name);
  return (await plainWindow.showWarningMessage(title, { modal: true, detail }, yes)) === yes;
}
