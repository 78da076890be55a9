/** Downloads a checkpoint's weights into a folder that `peft`, a server, or any other program can load, with a model card. */

import { join, resolve } from "node:path";
import { isAppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { withExportedFiles } from "../../core/tinker/exportWeights.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import { digestOf } from "../../core/weights/contentDigest.ts";
import { downloadFiles } from "../../core/weights/downloadFiles.ts";
import { DOWNLOAD_RECORD, DownloadRecord, EXPORTED } from "../../core/weights/downloadRecord.ts";
import type { FileProgress } from "../../core/weights/fetchPart.ts";
import { baseFingerprint } from "../../core/weights/forms/baseFingerprint.ts";
import type { FormRequest } from "../../core/weights/forms/formRequest.ts";
import {
  AS_EXPORTED,
  type CardFacts,
  isCardOf,
  modelCard,
  type RunOfWeights,
} from "../../core/weights/modelCard.ts";
import { peftFiles } from "../../local/engine/peftFolder.ts";
import { systemClock } from "../../node/clock.ts";
import { startHash } from "../../node/hash.ts";
import { createHttpClient } from "../../node/http.ts";
import { namedRun } from "../../node/namedRun.ts";
import { systemRandom } from "../../node/random.ts";
import { requireNamedService } from "../config/requireNamed.ts";
import { answerAbout } from "../models/goneState.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import {
  type AtTinker,
  CheckpointPlaces,
  noCheckpoint,
  type OnThisComputer,
  type PlacesRequest,
} from "./places.ts";
import { openForm } from "./weightsForm.ts";
import { weightsOfRun } from "./weightsOfRun.ts";

export interface DownloadRequest extends PlacesRequest {
  /** `tinker://RUN/KIND/NAME`, a run folder, or `FOLDER@STEP`. */
  readonly source: string;
  /** Name of a checkpoint of the run folder; null = the newest permanent one. */
  readonly name: string | null;
  /** Output folder; null = a folder in the working directory, named after the checkpoint. */
  readonly output: string | null;
  /** Absent = as Tinker exports them, which `peft` loads. */
  readonly form?: FormRequest | undefined;
  /** Contains the base model of local checkpoints, for merged weights. */
  readonly programFolder: string;
  readonly signal?: AbortSignal;
  /** Called before the service exports the weights, which opens a training session. */
  readonly onExport?: () => void;
  readonly onProgress?: (progress: FileProgress) => void;
}

export interface DownloadedFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** Hexadecimal, as printed by `sha256sum`. */
  readonly sha256: string;
}

export interface DownloadedWeights {
  readonly path: string;
  readonly folder: string;
  /** Names within the folder, including the card. */
  readonly files: readonly DownloadedFile[];
  /** Set if an earlier download wrote them. */
  readonly wereThere?: true;
}

/** Length limit of the run id in folder names of checkpoints whose run is unknown. */
const MAX_RUN_ID = 12;
const CARD = "README.md";

/**
 * @throws AppError `run-destination`, `no-such-checkpoint`, `folder-not-empty`, `download-*`, `base-invalid`, `weights-form`, `disk`, `key-missing`, `key-host-not-allowed`,
 * `key-not-encrypted`, `tinker-*`
 */
export async function downloadCheckpoint(
  fileSystem: FileSystem,
  request: DownloadRequest,
): Promise<DownloadedWeights> {
  const { source, name, output } = request;
  const isPath = source.startsWith("tinker://");
  const named = (await namedRun(fileSystem, source)) ?? { folder: resolve(source), step: null };
  const options = { ...named, name, clock: systemClock };
  const run = isPath ? null : await weightsOfRun(fileSystem, options);
  const path = run?.checkpoint.state_path ?? run?.checkpoint.sampler_path ?? source;
  if (run !== null) await requireNamedService(run.tinkerBaseUrl, options.folder, request);
  const folder = resolve(output ?? folderName(path, run));
  const files = fileSystem.within(folder);
  const { form } = request;
  const base =
    form === undefined || form.base === null
      ? null
      : await baseFingerprint(fileSystem, form.base, startHash);
  const present = await finishedFiles(files, { folder, path, form, base });
  if (present !== null) {
    return { path, folder, files: await described(files, folder, present), wereThere: true };
  }
  const cleanup = new CleanupStack();
  try {
    // The export is deleted over the same connection, even after the user has canceled the download.
    const places = { ...request, signal: undefined, tinkerBaseUrl: run?.tinkerBaseUrl ?? null };
    const place = await new CheckpointPlaces(fileSystem, places, cleanup)
      .placeOf(path)
      .catch((error: unknown) => {
        // A self-hosted server may have it, which needs its key.
        if (run?.isLocal === true && isAppError(error, "key-missing")) return null;
        throw error;
      });
    if (place === null) throw noCheckpoint(path, request);
    const facts = await factsOf(place, path);
    const write =
      form === undefined ? null : await openForm(fileSystem, { ...request, ...form, ...facts });
    const record = await DownloadRecord.open(files, folder, {
      source: path,
      form: formText(form),
    });
    const exported = write === null ? folder : join(folder, EXPORTED);
    const weights = { path, folder: exported, files, record };
    const fetched = await exportedWeights(place, weights, { ...request, ...facts, cleanup });
    const { names, form: written } =
      write === null
        ? { names: fetched, form: AS_EXPORTED }
        : await write({ ...request, files, folder, adapter: exported });
    await files.writeAtomic(
      join(folder, CARD),
      modelCard({ ...facts, path, run, form: written, base }),
    );
    if (write !== null) await files.remove(exported);
    await record.remove();
    return { path, folder, files: await described(files, folder, [...names, CARD]) };
  } finally {
    await cleanup.closeAll();
  }
}

/** Files of a completed download of the same weights in the same form; null if there is none. */
async function finishedFiles(
  files: FolderFiles,
  {
    folder,
    path,
    form,
    base,
  }: Pick<Target, "folder" | "path"> & Pick<DownloadRequest, "form"> & Pick<CardFacts, "base">,
): Promise<readonly string[] | null> {
  // Other programs keep hidden folders here, such as `.git` and `.cache`.
  const names = (await files.list(folder)).filter((name) => !name.startsWith("."));
  // The card is written last.
  if (!names.includes(CARD) || names.includes(DOWNLOAD_RECORD)) return null;
  if (!names.some((name) => name.endsWith(".safetensors"))) return null;
  const kind =
    form === undefined ? "exported" : form.form === "merged" ? ("merged" as const) : "served";
  const dropsUnembedding = form?.dropsUnembedding === true;
  const card = await files.readText(join(folder, CARD));
  return isCardOf(card, { path, kind, base, dropsUnembedding }) ? names : null;
}

/** Identifies the files that are written into the folder. */
function formText(form: FormRequest | undefined): string {
  if (form === undefined) return "";
  const { base, dropsUnembedding } = form;
  const details = [base, dropsUnembedding ? "without unembedding" : null].filter(Boolean);
  return [`for ${form.form}`, ...details].join(" ");
}

interface WeightsFacts {
  readonly baseModel: string;
  readonly rank: number | null;
}

async function factsOf(place: OnThisComputer | AtTinker, path: string): Promise<WeightsFacts> {
  if (place.kind === "this computer") {
    const { base_model: baseModel, lora } = place.record;
    return { baseModel, rank: lora.rank };
  }
  const { baseModel, loraRank: rank } = await answerAbout(path, place.account.weightsFacts(path));
  return { baseModel, rank };
}

interface Target {
  readonly path: string;
  readonly folder: string;
  readonly files: FolderFiles;
  readonly record: DownloadRecord;
}

type Fetching = Pick<
  DownloadRequest,
  "form" | "onExport" | "onProgress" | "signal" | "redactor"
> & {
  readonly cleanup: CleanupStack;
};

/** Names of the exported files in the folder, from this attempt or an earlier one. */
async function exportedWeights(
  place: OnThisComputer | AtTinker,
  target: Target,
  request: Fetching & WeightsFacts,
): Promise<readonly string[]> {
  if (place.kind === "this computer") return await copyWeights(place, target);
  const { record, files, folder } = target;
  if (record.isFetched) {
    const names = await files.list(folder);
    // An export costs a session, so a complete one is reused.
    if (names.includes("adapter_model.safetensors")) return names;
  }
  const names = await fetchWeights(place, target, request);
  if (request.form !== undefined) await record.setFetched();
  return names;
}

async function copyWeights(
  { store, key }: OnThisComputer,
  { folder, files }: Target,
): Promise<readonly string[]> {
  const { record, bytes } = await store.read(key);
  const contents = peftFiles({ baseModel: record.base_model, rank: record.lora.rank, bytes });
  await files.makeDirectory(folder);
  for (const [name, content] of contents) await files.writeAtomic(join(folder, name), content);
  return [...contents.keys()];
}

async function fetchWeights(
  { connection }: AtTinker,
  { path, ...target }: Target,
  { cleanup, signal, onProgress, onExport, redactor = new Redactor() }: Fetching,
): Promise<readonly string[]> {
  if (parseTinkerPath(path).kind === "weights") onExport?.();
  // The storage gets no key, because its URLs are signed.
  const http = createHttpClient();
  cleanup.add(() => http.close());
  const interruptible = { ...connection, signal };
  return await withExportedFiles(interruptible, path, (sign) =>
    downloadFiles({
      ...target,
      http,
      clock: systemClock,
      random: systemRandom,
      startHash,
      serviceOrigin: new URL(connection.baseUrl).origin,
      sign: async () => {
        const signed = await sign();
        for (const url of signed.urls.values()) learnSignature(redactor, url);
        return signed;
      },
      signal,
      onProgress,
    }),
  );
}

/** Treats the signature as a secret: anyone with the signed URL can fetch the file. */
function learnSignature(redactor: Redactor, url: string): void {
  if (URL.canParse(url)) redactor.learn(new URL(url).search.slice(1));
}

function folderName(path: string, run: RunOfWeights | null): string {
  if (run !== null) return `${run.name}-${run.checkpoint.name}`;
  const { run: id, name } = parseTinkerPath(path);
  return `${name}-${id.replace(/\W/g, "").slice(0, MAX_RUN_ID)}`;
}

async function described(
  files: FolderFiles,
  folder: string,
  names: readonly string[],
): Promise<readonly DownloadedFile[]> {
  const all: DownloadedFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const base64 = await digestOf(files, path, { startHash, algorithm: "sha256" });
    const sha256 = Buffer.from(base64, "base64").toString("hex");
    all.push({ name, sizeBytes: (await files.size(path)) ?? 0, sha256 });
  }
  return all;
}
