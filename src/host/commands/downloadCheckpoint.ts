/** *Download Weights*: saves a checkpoint's weights to a folder, for `peft`, for servers or merged, with a model card. */

import { randomUUID } from "node:crypto";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import {
  CHECKPOINT_REQUESTS,
  type WeightsProgress,
  type WeightsRequest,
} from "../../api/checkpoints.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import type { RunEntry } from "../../api/runs.ts";
import type { CheckpointEntry } from "../../core/runFolder/checkpointLog.ts";
import { type FormRequest, needsBase } from "../../core/weights/forms/formRequest.ts";
import { formatDownload } from "../../shared/format.ts";
import { askForFolder, showFolder } from "../vscode/folders.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { addressesText, type CheckpointPlace } from "./changeCheckpoint.ts";
import { askAt, type CheckpointRequestOptions } from "./checkpointRequests.ts";

export interface DownloadSource {
  readonly place: CheckpointPlace;
  /** As recorded in the run's folder. */
  readonly baseModel: string;
}

/** Returns silently if the user cancels. @throws Error from the server */
export async function downloadCheckpoint(
  run: RunEntry,
  entry: CheckpointEntry,
  { place, baseModel }: DownloadSource,
  options: CheckpointRequestOptions,
): Promise<void> {
  const { name } = entry;
  if (place.kind === "Tinker" && !(await isCostAccepted(run, entry, place))) return;
  const form = await askWeightsForm(baseModel);
  if (form === undefined) return;
  const parent = await askForFolder({
    openLabel: vscode.l10n.t("Download Here"),
    title: vscode.l10n.t("Creates a folder for the weights here"),
  });
  if (parent === undefined) return;
  const output = join(parent.fsPath, [basename(run.folder), name, ...formWords(form)].join("-"));
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

/** Distinguish the folders for different formats of the same checkpoint. */
function formWords(form: FormRequest | null): readonly string[] {
  if (form === null) return [];
  return [form.form, ...(form.dropsUnembedding ? ["no-unembed"] : [])];
}

async function showDownloaded(name: string, folder: string): Promise<void> {
  const text = vscode.l10n.t("The weights of {0} are in {1}.", name, folder);
  const show = () => showFolder(vscode.Uri.file(folder));
  await plainWindow.offer("Information", text, [[vscode.l10n.t("Show Folder"), show]]);
}

async function isCostAccepted(
  run: RunEntry,
  { name, state_path, sampler_path }: CheckpointEntry,
  place: CheckpointPlace,
): Promise<boolean> {
  const yes = vscode.l10n.t("Download");
  const title = vscode.l10n.t("Download the weights of {0} of {1}?", name, run.name);
  const cost = vscode.l10n.t(
    "Tinker exports the weights in a training session, which it may bill. Nothing is trained. The exported files are deleted afterward.",
  );
  const detail = `${cost}\n${addressesText(place, { state_path: state_path ?? sampler_path, sampler_path: null })}`;
  return (await plainWindow.showInformationMessage(title, { modal: true, detail }, yes)) === yes;
}

/** Null if the user canceled; the server has then cleaned up. */
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
    const onProgress = ({ file, receivedBytes, totalBytes }: WeightsProgress): void =>
      report(formatDownload(file, receivedBytes, totalBytes));
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

/** Null = Tinker's own format; undefined if the user dismissed a prompt. */
async function askWeightsForm(baseModel: string): Promise<FormRequest | null | undefined> {
  const items = [
    {
      label: vscode.l10n.t("For PEFT and Transformers"),
      detail: vscode.l10n.t("The adapter as Tinker exports it."),
      form: null,
      dropsUnembedding: false,
    },
    {
      label: vscode.l10n.t("For vLLM and SGLang"),
      detail: vscode.l10n.t(
        "As these servers load it. They refuse a changed unembedding (train_unembed: true).",
      ),
      form: "vllm",
      dropsUnembedding: false,
    },
    {
      label: vscode.l10n.t("For vLLM and SGLang, Without the Unembedding"),
      detail: vscode.l10n.t(
        "Leaves out what was learned for it: the served model differs from the trained one.",
      ),
      form: "vllm",
      dropsUnembedding: true,
    },
    {
      label: vscode.l10n.t("Merged into the Base Model"),
      detail: vscode.l10n.t("A copy of {0} with the adapter added to its weights.", baseModel),
      form: "merged",
      dropsUnembedding: false,
    },
  ] as const;
  const picked = await plainWindow.showQuickPick(items, {
    title: vscode.l10n.t("What are the weights for?"),
  });
  if (picked === undefined || picked.form === null) return picked?.form;
  const { form, dropsUnembedding } = picked;
  if (!needsBase(form, baseModel)) return { form, base: null, dropsUnembedding };
  const base = await askForFolder({
    openLabel: vscode.l10n.t("Use This Base Model"),
    title: vscode.l10n.t("The folder of the base model, as downloaded from the Hugging Face Hub"),
  });
  return base && { form, base: base.fsPath, dropsUnembedding };
}
