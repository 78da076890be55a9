/** Alternative forms of downloaded weights besides Tinker's export: for servers, or merged into the base model. */

import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { visibleLine } from "../../core/util/visibleText.ts";
import type { FileProgress } from "../../core/weights/fetchPart.ts";
import { readBaseFolder, requireUnquantized } from "../../core/weights/forms/baseFolder.ts";
import { familyOfName } from "../../core/weights/forms/families.ts";
import { type FormRequest, needsBase } from "../../core/weights/forms/formRequest.ts";
import { readLoraAdapter } from "../../core/weights/forms/loraAdapter.ts";
import { writeMergedWeights } from "../../core/weights/forms/mergedWeights.ts";
import { planMerge } from "../../core/weights/forms/mergePlan.ts";
import { requireServed, writeServedAdapter } from "../../core/weights/forms/servedAdapter.ts";
import type { CardForm } from "../../core/weights/modelCard.ts";

export interface FormTarget {
  /** Folder of the exported adapter. */
  readonly adapter: string;
  readonly folder: string;
  /** Files of `folder`, which also contains the adapter. */
  readonly files: FolderFiles;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FileProgress) => void) | undefined;
}

export interface WrittenForm {
  readonly names: readonly string[];
  readonly form: CardForm;
}

/** Writes the form. @throws AppError `weights-form`, `disk`, `file-*`; the reason of `signal` */
export type WriteForm = (target: FormTarget) => Promise<WrittenForm>;

export interface FormOptions extends FormRequest {
  readonly baseModel: string;
  /** Contains the base model of local checkpoints. */
  readonly programFolder: string;
}

/**
 * Reads everything that decides whether the form can be written before the weights are downloaded.
 * @throws AppError `base-invalid`, `weights-form`, `safetensors-invalid`, `file-*`
 */
export async function openForm(files: FileSystem, options: FormOptions): Promise<WriteForm> {
  return options.form === "vllm"
    ? await openServed(files, options)
    : await openMerged(files, options);
}

async function openServed(
  fileSystem: FileSystem,
  { baseModel, base: folder, dropsUnembedding }: FormOptions,
): Promise<WriteForm> {
  const base = folder === null ? null : await readBaseFolder(fileSystem, folder);
  const family = base?.family ?? familyOfName(baseModel);
  if (family === null) {
    throw new AppError(
      "weights-form",
      `It is not known how servers name the weights of ${visibleLine(baseModel)}. Choose the form peft, or give the folder of the base model (--base).`,
    );
  }
  const options = { baseModel, base, family, dropsUnembedding };
  requireServed(options);
  return async ({ adapter, folder: target, ...writing }) => {
    const read = await readLoraAdapter(writing.files, adapter);
    const written = await writeServedAdapter(read, target, { ...options, ...writing });
    const names = ["adapter_config.json", "adapter_model.safetensors"];
    return { names, form: { kind: "served", ...written } };
  };
}

async function openMerged(
  fileSystem: FileSystem,
  { baseModel, base: given, programFolder }: FormOptions,
): Promise<WriteForm> {
  if (given === null && needsBase("merged", baseModel)) {
    throw new AppError(
      "base-invalid",
      `Merged weights need the weights of ${visibleLine(baseModel)}. Download it from the Hugging Face Hub, and give its folder (--base).`,
    );
  }
  const folder = given ?? join(programFolder, "model");
  await requireUnquantized(fileSystem, folder);
  const base = await readBaseFolder(fileSystem, folder);
  return async ({ adapter: path, folder: target, ...writing }) => {
    const adapter = await readLoraAdapter(writing.files, path);
    const plan = planMerge(adapter, base);
    const names = await writeMergedWeights(target, { ...writing, adapter, base, plan });
    return { names, form: { kind: "merged" } };
  };
}
