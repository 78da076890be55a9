/** tinker-cookbook's output for synthetic models: `cookbookForms.json.gz`, written by `cookbookForms.py`. */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { concatBytes } from "../../../../src/core/util/concatBytes.ts";
import {
  encodeSafetensorsHeader,
  readSafetensorsHeader,
} from "../../../../src/core/weights/safetensors.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";

export interface VectorTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Encoded in base64. */
  readonly data: string;
}

export type VectorTensors = Readonly<Record<string, VectorTensor>>;

export interface FamilyVectors {
  readonly config: Readonly<Record<string, unknown>>;
  readonly base: VectorTensors;
  readonly adapter_config: Readonly<Record<string, unknown>>;
  readonly adapter: VectorTensors;
  readonly served:
    | { readonly config: Readonly<Record<string, unknown>>; readonly tensors: VectorTensors }
    | { readonly refused: string };
  readonly merged: VectorTensors;
}

const bytes = readFileSync(new URL("cookbookForms.json.gz", import.meta.url));
export const FAMILIES: Readonly<Record<string, FamilyVectors>> = JSON.parse(
  gunzipSync(bytes).toString(),
).families;

/** @throws for a name that the vectors lack */
export function vectorsOf(name: string): FamilyVectors {
  const found = FAMILIES[name];
  if (found === undefined) throw new Error(`There are no vectors of ${name}.`);
  return found;
}

export function fileOf(tensors: VectorTensors): Uint8Array {
  const all = Object.entries(tensors).map(([name, { data, ...tensor }]) => {
    const raw = Buffer.from(data, "base64");
    return { name, ...tensor, raw, bytes: raw.length };
  });
  return concatBytes([
    encodeSafetensorsHeader(all, { format: "pt" }),
    ...all.map(({ raw }) => raw),
  ]);
}

/** A disk with the base model in `/base`, the adapter in `/adapter`, and an empty folder `/out`. */
export async function diskOf({
  config,
  base,
  adapter_config,
  adapter,
}: Pick<
  FamilyVectors,
  "config" | "base" | "adapter_config" | "adapter"
>): Promise<MemoryFileSystem> {
  const files = createMemoryFileSystem();
  await files.writeAtomic("/base/config.json", JSON.stringify(config));
  await files.writeAtomic("/base/model.safetensors", fileOf(base));
  await files.writeAtomic("/adapter/adapter_config.json", JSON.stringify(adapter_config));
  await files.writeAtomic("/adapter/adapter_model.safetensors", fileOf(adapter));
  return files;
}

export async function tensorsIn(files: MemoryFileSystem, path: string): Promise<VectorTensors> {
  const { tensors } = await readSafetensorsHeader(files, path);
  const found: Record<string, VectorTensor> = {};
  for (const [name, { dtype, shape, begin, end }] of tensors) {
    const data = Buffer.from(await files.readRange(path, begin, end - begin)).toString("base64");
    found[name] = { dtype, shape, data };
  }
  return found;
}
