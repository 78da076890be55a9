/** *Download Weights*: puts the weights of a checkpoint into a folder that `peft`, a server or any program for models loads. */

import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import {
  CHECKPOINT_REQUESTS,
  type WeightsProgress,
  type WeightsRequest,
} from "../../api/checkpoints.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import type { CheckpointEntry } from "../../core/runFolder/checkpointLog.ts";
import type { RunEntry } from "../../server/runs/runStore.ts";
import { formatBytes } from "../../shared/format.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { showFolder } from "../vscode/showFolder.ts";
import { addressesText, type CheckpointPlace } from "./changeCheckpoint.ts";
import { askAt, type CheckpointRequestOptions } from "./checkpointRequests.ts";

/** Ends quietly when the user does not want it any more. @throws what the server says */
export async function downloadCheckpoint(
  run: RunEntry,
  entry: CheckpointEntry,
  place: CheckpointPlace,
  options: CheckpointRequestOptions,
): Promise<void> {
  const { name, state_path } = entry;
  if (state_path === null) {
    throw new Error(
      vscode.l10n.t(
        "The checkpoint {0} is only for sampling. Download one with a training state, because Tinker exports only those.",
        name,
      ),
    );
  }
  const chosen = await chooseForm(run, entry);
  if (chosen === undefined) return;
  const { suffix, ...wanted } = chosen;
  const form = await withBase(wanted.form, place);
  if (form === undefined) return;
  if (place.kind === "Tinker" && !(await isCostAccepted(run, entry, place))) return;
  const parent = await chooseFolder();
  if (parent === undefined) return;
  const output = join(parent.fsPath, `${basename(run.folder)}-${name}${suffix}`);
  const weights = { folder: run.folder, name, output, form };
  const isDone = await askAt(place, options, (launch) =>
    download(
      {
        ...weights,
        progressToken: randomUUID(),
        launch,
        isLocalOnly: place.kind === "this computer",
      },
      options,
    ),
  );
  if (isDone) await showDownloaded(name, output);
}

/** Undefined when the user went away. */
async function chooseForm(run: RunEntry, { name }: CheckpointEntry) {
  const items = [
    {
      label: vscode.l10n.t("For peft"),
      detail: vscode.l10n.t("The adapter as it is, for peft and transformers"),
      form: null,
      suffix: "",
    },
    {
      label: vscode.l10n.t("For vLLM and SGLang"),
      detail: vscode.l10n.t("The adapter with the names and shapes that these servers load"),
      form: "vllm",
      suffix: "-vllm",
    },
    {
      label: vscode.l10n.t("Merged"),
      detail: vscode.l10n.t("The base model with the adapter in its weights, for any program"),
      form: "merged",
      suffix: "-merged",
    },
  ] as const;
  return await plainWindow.showQuickPick(items, {
    title: vscode.l10n.t("Download the weights of {0} of {1}", name, run.name),
    placeHolder: vscode.l10n.t("What are they for?"),
  });
}

/** Merging needs the base model, which this computer has for its own checkpoints. Undefined when the user went away. */
async function withBase(
  form: "vllm" | "merged" | null,
  place: CheckpointPlace,
): Promise<WeightsRequest["form"] | undefined> {
  if (form === null) return null;
  const asks = form === "merged" && place.kind === "Tinker";
  const base = asks ? await chooseBase() : null;
  if (base === undefined) return undefined;
  return { form, base: base?.fsPath ?? null, dropsUnembedding: false };
}

async function showDownloaded(name: string, folder: string): Promise<void> {
  const open = vscode.l10n.t("Show Folder");
  const text = vscode.l10n.t("The weights of {0} are in {1}.", name, folder);
  const chosen = await plainWindow.showInformationMessage(text, open);
  if (chosen === open) await showFolder(vscode.Uri.file(folder));
}

async function isCostAccepted(
  run: RunEntry,
  { name, state_path }: CheckpointEntry,
  place: CheckpointPlace,
): Promise<boolean> {
  const yes = vscode.l10n.t("Download");
  const title = vscode.l10n.t("Download the weights of {0} of {1}?", name, run.name);
  const cost = vscode.l10n.t(
    "Tinker exports the weights in a training session, which it may bill. Nothing is trained. The exported files are deleted afterward.",
  );
  const detail = `${cost}\n${addressesText(place, { state_path, sampler_path: null })}`;
  return (await plainWindow.showInformationMessage(title, { modal: true, detail }, yes)) === yes;
}

function chooseFolder(): Promise<vscode.Uri | undefined> {
  return askForFolder(
    vscode.l10n.t("Download Here"),
    vscode.l10n.t("Creates a folder for the weights here"),
  );
}

function chooseBase(): Promise<vscode.Uri | undefined> {
  return askForFolder(
    vscode.l10n.t("Merge into This Model"),
    vscode.l10n.t("The base model as downloaded from its hub: config.json and safetensors"),
  );
}

async function askForFolder(openLabel: string, title: string): Promise<vscode.Uri | undefined> {
  const kind = { canSelectFiles: false, canSelectFolders: true, canSelectMany: false };
  const [folder] = (await vscode.window.showOpenDialog({ ...kind, openLabel, title })) ?? [];
  return folder;
}

/** Null when the user ended it; then the server has tidied up. */
async function download(
  request: WeightsRequest,
  { server }: CheckpointRequestOptions,
): Promise<RequestOutcome<null> | null> {
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t("Downloading {0}", request.name),
    cancellable: true,
  };
  return await plainWindow.withProgress(progress, async (token, report) => {
    const onProgress = (what: WeightsProgress): void => report(progressText(what));
    const options = { token, onProgress };
    const { download: method } = CHECKPOINT_REQUESTS;
    const outcome = await server.request<RequestOutcome<null>, WeightsProgress>(
      method,
      request,
      options,
    );
    return token.isCancellationRequested ? null : outcome;
  });
}

function progressText({ file, receivedBytes, totalBytes }: WeightsProgress): string {
  const received = formatBytes(receivedBytes);
  return totalBytes === null
    ? `${file}  ${received}`
    : vscode.l10n.t("{0}  {1} of {2}", file, received, formatBytes(totalBytes));
}
