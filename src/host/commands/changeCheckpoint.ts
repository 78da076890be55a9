/** Changes to checkpoints where their run stores them: retention, publishing and deletion. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { type CheckpointEntry, readCheckpoints } from "../../core/runFolder/checkpointLog.ts";
import { newestUnexpired, readResumePoints } from "../../core/runFolder/resumePoints.ts";
import { type RunModel, readRunModel } from "../../core/runFolder/runModel.ts";
import { type CheckpointChange, expiryAfter } from "../../core/tinker/checkpointChange.ts";
import { formatCount } from "../../shared/format.ts";
import { projectOfRun } from "../runs/launchConfig.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { refuseLive } from "./chooseRun.ts";

export interface CheckpointChangeOptions {
  readonly fileSystem: FileSystem;
  /** Appends an entry to a run's list of checkpoints, without keeping a file open. */
  readonly append: (folder: string, entry: CheckpointEntry) => Promise<void>;
  /** Deleting something that does not exist is not an error. @throws AppError `server-stopped`, or the server's error */
  readonly change: (
    place: CheckpointPlace,
    what: { readonly paths: readonly string[]; readonly change: CheckpointChange },
  ) => Promise<void>;
  /** Whether this user's trainers recorded that the run in `folder` saved everything at `paths`. */
  readonly isOwn: (folder: string, paths: readonly string[]) => Promise<boolean>;
  readonly now: () => number;
}

export type CheckpointPlace =
  | { readonly kind: "this computer" }
  | {
      readonly kind: "Tinker";
      /** Address of the run's service; null = the one in the settings, or the official one. */
      readonly baseUrl: string | null;
      /** The folder to which the user's answers about keys apply. */
      readonly project: string;
    };

const DAY_S = 86_400;

/** @throws Error if the run's folder does not record it */
export async function modelOf(
  { folder, name }: RunEntry,
  { fileSystem }: Pick<CheckpointChangeOptions, "fileSystem">,
): Promise<RunModel> {
  const model = await readRunModel(fileSystem.within(folder), folder);
  if (model !== null) return model;
  throw new Error(
    vscode.l10n.t("The folder of {0} does not record where its checkpoints are.", name),
  );
}

/** @throws Error if the run's folder does not record it */
export async function placeOf(
  run: RunEntry,
  options: Pick<CheckpointChangeOptions, "fileSystem">,
): Promise<CheckpointPlace> {
  const { folder } = run;
  const model = await modelOf(run, options);
  if (isLocalModel(model.model_name)) return { kind: "this computer" };
  const configPath = run.file?.configPath;
  const scope =
    configPath && vscode.workspace.getWorkspaceFolder(vscode.Uri.file(configPath))?.uri.fsPath;
  const project = await projectOfRun(folder, scope ?? null);
  return { kind: "Tinker", baseUrl: model.tinker_base_url, project };
}

/**
 * The addresses that a confirmation dialog is about. A run folder may come from a stranger and refer to another run's weights, so the text
 * includes a warning unless this user's records confirm that the run saved them.
 */
async function questionText(
  {
    place,
    entry,
    run,
  }: { readonly place: CheckpointPlace; readonly entry: Addresses; readonly run: RunEntry },
  { isOwn }: Pick<CheckpointChangeOptions, "isOwn">,
): Promise<string> {
  const text = addressesText(place, entry);
  if (await isOwn(run.folder, pathsOf(entry))) return text;
  const warning = vscode.l10n.t(
    "Only the run folder says that {0} saved this; your trainers on this computer did not save it. It may belong to another run.",
    run.name,
  );
  return `${text}\n${warning}`;
}

/** A checkpoint's addresses, with the service's address if it is not the official one. */
export function addressesText(place: CheckpointPlace, entry: Addresses): string {
  const text = pathsOf(entry).join("\n");
  if (place.kind === "this computer" || place.baseUrl === null) return text;
  return vscode.l10n.t("{0}\nat {1}", text, place.baseUrl);
}

type Addresses = Pick<CheckpointEntry, "state_path" | "sampler_path">;

/** Of its state and its sampler. */
function pathsOf({ state_path, sampler_path }: Addresses): readonly string[] {
  return [state_path, sampler_path].filter((path) => path !== null);
}

/** Asks for how long to keep it, and applies that; false if the user dismissed the prompt. @throws like {@link CheckpointChangeOptions.change} */
export async function keepCheckpoint(
  run: RunEntry,
  entry: CheckpointEntry,
  options: CheckpointChangeOptions,
): Promise<boolean> {
  const items = [
    { label: vscode.l10n.t("1 Day"), ttlSeconds: DAY_S },
    { label: vscode.l10n.t("7 Days"), ttlSeconds: 7 * DAY_S },
    { label: vscode.l10n.t("30 Days"), ttlSeconds: 30 * DAY_S },
    { label: vscode.l10n.t("Until It Is Deleted"), ttlSeconds: null },
  ];
  const place = await placeOf(run, options);
  const picked = await plainWindow.showQuickPick(items, {
    title: vscode.l10n.t("How long should {0} of {1} be kept from now on?", entry.name, run.name),
    placeHolder: (await questionText({ place, entry, run }, options)).replaceAll("\n", " "),
  });
  if (picked === undefined) return false;
  await keepFor(run, entry, { place, ttlSeconds: picked.ttlSeconds }, options);
  return true;
}

/** Removes the expiry of the state that a resume would use; false if the user dismissed the prompt. @throws like {@link CheckpointChangeOptions.change} */
export async function keepLastState(
  run: RunEntry,
  options: CheckpointChangeOptions,
): Promise<boolean> {
  const files = options.fileSystem.within(run.folder);
  const newest = newestUnexpired(
    await readResumePoints(files, run.folder, options.now()),
    options.now(),
  );
  const entries = await readCheckpoints(files, run.folder);
  const entry = entries.findLast((each) => each.state_path === newest?.statePath);
  if (newest === null || entry === undefined) {
    throw new Error(vscode.l10n.t("The run {0} has no state to keep.", run.name));
  }
  const place = await placeOf(run, options);
  const yes = vscode.l10n.t("Keep");
  const title = vscode.l10n.t("Keep the last state of {0} until it is deleted?", run.name);
  if (place.kind === "Tinker") {
    const question = await questionText({ place, entry, run }, options);
    if (!(await plainWindow.confirm(title, question, yes))) return false;
  }
  await keepFor(run, entry, { place, ttlSeconds: null }, options);
  return true;
}

async function keepFor(
  run: RunEntry,
  entry: CheckpointEntry,
  { place, ttlSeconds }: { readonly place: CheckpointPlace; readonly ttlSeconds: number | null },
  options: CheckpointChangeOptions,
): Promise<void> {
  if (run.isLive && entry.kind === "rolling") {
    throw new Error(
      vscode.l10n.t("{0} is running, and its next save replaces this one.", run.name),
    );
  }
  const nowMs = options.now();
  const change = { action: "set-ttl", ttlSeconds } as const;
  await options.change(place, { paths: pathsOf(entry), change });
  // A run's files are append-only: the last entry for a checkpoint counts.
  const expires_at = expiryAfter(change, nowMs) ?? null;
  await options.append(run.folder, { ...entry, expires_at });
}

/** False if the user dismissed the prompt. @throws like {@link CheckpointChangeOptions.change} */
export async function shareCheckpoint(
  run: RunEntry,
  entry: CheckpointEntry,
  action: "publish" | "unpublish",
  options: CheckpointChangeOptions,
): Promise<boolean> {
  const place = await placeOf(run, options);
  if (place.kind === "this computer") {
    throw new Error(
      vscode.l10n.t(
        "The checkpoints of {0} are on this computer. Only those at Tinker can be published.",
        run.name,
      ),
    );
  }
  const addresses = await questionText({ place, entry, run }, options);
  const isPublished = action === "publish";
  const use = isPublished
    ? vscode.l10n.t("Everyone who knows its address can use the weights, until it is unpublished.")
    : vscode.l10n.t("After this, only their owner can use the weights.");
  const yes = isPublished ? vscode.l10n.t("Publish") : vscode.l10n.t("Unpublish");
  const title = isPublished
    ? vscode.l10n.t("Publish the checkpoint {0} of {1}?", entry.name, run.name)
    : vscode.l10n.t("Unpublish the checkpoint {0} of {1}?", entry.name, run.name);
  if (!(await plainWindow.confirm(title, `${use}\n${addresses}`, yes))) return false;
  await options.change(place, { paths: pathsOf(entry), change: { action } });
  return true;
}

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
  return plainWindow.confirm(title, detail, yes);
}
