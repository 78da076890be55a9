/** A base model's folder in the hub's layout: `config.json`, and safetensors files with or without an index. */

import * as z from "zod";
import { AppError } from "../../errors.ts";
import type { FileSystem } from "../../ports.ts";
import { parseJson } from "../../util/jsonl.ts";
import { visibleLine } from "../../util/visibleText.ts";
import {
  readSafetensorsHeader,
  type SafetensorsHeader,
  type StoredTensor,
} from "../safetensors.ts";
import { familyOfType, type NamedFamily } from "./families.ts";

export interface BaseTensor extends StoredTensor {
  /** Name of its file in the folder. */
  readonly file: string;
}

export interface BaseFolder {
  readonly files: BaseFiles;
  readonly folder: string;
  readonly config: BaseConfig;
  readonly family: NamedFamily;
  /** Headers of the weight files by file name. */
  readonly shards: ReadonlyMap<string, SafetensorsHeader>;
  readonly tensors: ReadonlyMap<string, BaseTensor>;
}

export type BaseFiles = Pick<FileSystem, "readRange" | "size" | "readText" | "list">;

export const CONFIG_NAME = "config.json";
/** https://huggingface.co/docs/transformers/main_classes/model#transformers.PreTrainedModel.save_pretrained */
export const INDEX_NAME = "model.safetensors.index.json";
const MAX_JSON_BYTES = 2 ** 26;
/** Large models of many experts have more than 100,000 tensors once they are quantized. */
const MAX_INDEX_ENTRIES = 1_000_000;

/** Python writes these numbers into JSON; Nemotron's configuration contains one. */
const NOT_JSON = /(?<=[[:,]\s*)-?(Infinity|NaN)(?=\s*[,\]}])/g;

const quantization = z.unknown().optional();
const configSchema = z.looseObject({
  model_type: z.string(),
  quantization_config: quantization,
  text_config: z.looseObject({ quantization_config: quantization }).optional(),
});
type BaseConfig = z.infer<typeof configSchema>;

const indexSchema = z.looseObject({
  metadata: z.looseObject({ total_size: z.number().optional() }).optional(),
  weight_map: z.record(z.string(), z.string().regex(/^[\w-][\w.-]*\.safetensors$/)),
});

/** Null if the text is not an index. */
export function parseIndex(text: string): z.infer<typeof indexSchema> | null {
  return indexSchema.safeParse(parseJson(text, MAX_INDEX_ENTRIES)?.value).data ?? null;
}

/**
 * Reads the configuration and the headers of the weights.
 * @throws AppError `base-invalid`, `weights-form` for a model whose weight names are unknown, `safetensors-invalid`, `file-*`
 */
export async function readBaseFolder(files: BaseFiles, folder: string): Promise<BaseFolder> {
  const config = await readConfig(files, folder);
  const shards = new Map<string, SafetensorsHeader>();
  const tensors = new Map<string, BaseTensor>();
  for (const file of await shardNames(files, folder)) {
    const header = await readSafetensorsHeader(files, `${folder}/${file}`);
    shards.set(file, header);
    for (const [name, tensor] of header.tensors) tensors.set(name, { ...tensor, file });
  }
  const family = familyOfType(config.model_type);
  if (family === null) {
    const type = JSON.stringify(visibleLine(config.model_type).slice(0, 100));
    throw new AppError(
      "weights-form",
      `It is not known how servers name the weights of models of type ${type}, as ${folder} has one. Choose the form peft.`,
    );
  }
  const isWithin = [...tensors.keys()].some((name) => name.startsWith("model.language_model."));
  return { files, folder, config, family: { family, isWithin }, shards, tensors };
}

async function readConfig(files: BaseFiles, folder: string): Promise<BaseConfig> {
  const path = `${folder}/${CONFIG_NAME}`;
  if ((await files.size(path)) === null) throw invalid(folder, `it has no ${CONFIG_NAME}`);
  const text = (await files.readText(path, MAX_JSON_BYTES)).replace(NOT_JSON, "null");
  const config = configSchema.safeParse(parseJson(text)?.value);
  if (config.success) return config.data;
  throw invalid(folder, `its ${CONFIG_NAME} does not say the model_type`);
}

async function shardNames(files: BaseFiles, folder: string): Promise<readonly string[]> {
  const names = await files.list(folder);
  if (!names.includes(INDEX_NAME)) {
    const found = names.filter((name) => name.endsWith(".safetensors"));
    if (found.length > 0) return found;
    throw invalid(folder, "it has no safetensors files");
  }
  const text = await files.readText(`${folder}/${INDEX_NAME}`, MAX_JSON_BYTES);
  const index = parseIndex(text);
  if (index === null) throw invalid(folder, `its ${INDEX_NAME} cannot be read`);
  const listed = [...new Set(Object.values(index.weight_map))].sort();
  const missing = listed.find((name) => !names.includes(name));
  if (missing !== undefined) throw invalid(folder, `it lacks ${missing}`);
  return listed;
}

/** Reads only the configuration. @throws AppError `base-invalid` if the weights are quantized; `file-*` */
export async function requireUnquantized(files: BaseFiles, folder: string): Promise<void> {
  const config = await readConfig(files, folder);
  const found = config.quantization_config ?? config.text_config?.quantization_config ?? null;
  if (found === null) return;
  throw invalid(
    folder,
    "its weights are quantized, and nothing can be added to such weights. Use a copy of the model in bfloat16",
  );
}

export function invalid(folder: string, why: string): AppError {
  return new AppError(
    "base-invalid",
    `${folder} cannot be used as the base model: ${why}. It must be the folder of the base model as it was downloaded from the Hugging Face Hub.`,
    { data: { folder } },
  );
}
