/** An adapter with the names and shapes that vLLM and SGLang load: one pair of matrices per module of their models. */

import { sum } from "../../../shared/mean.ts";
import { AppError } from "../../errors.ts";
import { plainModelName } from "../../models/lineUp.ts";
import type { FileSystem } from "../../ports.ts";
import { visibleLine } from "../../util/visibleText.ts";
import { FLOAT_BYTES } from "../floats.ts";
import { type WriteOptions, type WrittenTensor, writeSafetensors } from "../safetensors.ts";
import type { BaseFolder } from "./baseFolder.ts";
import { isUnembedding, type NamedFamily, plainName, renamed } from "./families.ts";
import {
  expertModule,
  expertsOf,
  type LoraAdapter,
  type LoraPair,
  type LoraTensor,
  ofExpert,
} from "./loraAdapter.ts";

export interface ServedOptions extends Omit<WriteOptions, "files" | "metadata"> {
  readonly files: FileSystem;
  readonly baseModel: string;
  readonly family: NamedFamily;
  /** Drops the adapter's change to the unembedding, which the servers reject. */
  readonly dropsUnembedding: boolean;
  /** Null if its folder is not available. */
  readonly base: Pick<BaseFolder, "tensors"> | null;
}

export interface ServedAdapter {
  readonly highestRank: number;
  /** True if the change to the unembedding was dropped. */
  readonly lacksUnembedding: boolean;
}

/** A matrix of the written adapter. */
type Served = Omit<WrittenTensor, "name">;

interface ServedPair {
  readonly module: string;
  readonly rank: number;
  readonly a: Served;
  readonly b: Served;
}

/** @throws AppError `weights-form` for a model whose adapters no server loads, or that needs the base model's files */
export function requireServed({
  baseModel,
  base,
  family: { family },
}: Pick<ServedOptions, "baseModel" | "base" | "family">): void {
  const name = visibleLine(baseModel);
  if (family.notServed !== null) {
    throw new AppError(
      "weights-form",
      `${family.notServed}, so ${name} is not served with one. Choose the form merged, or peft.`,
    );
  }
  if (family.isServedFused && base === null) {
    throw new AppError(
      "weights-form",
      `Servers know ${family.fused?.name} of ${name} as one projection, whose size only the base model's files say. Give its folder (--base), or choose the form peft.`,
    );
  }
}

/**
 * Writes `adapter_config.json` and `adapter_model.safetensors` into `folder`.
 * @throws AppError `weights-form`, `disk`, `file-*`; the reason of `signal`
 */
export async function writeServedAdapter(
  adapter: LoraAdapter,
  folder: string,
  options: ServedOptions,
): Promise<ServedAdapter> {
  const { files } = options;
  const pairs = servedPairs(adapter, options);
  const tensors = pairs.flatMap(({ module, a, b }): readonly WrittenTensor[] => [
    { ...a, name: `base_model.model.${module}.lora_A.weight` },
    { ...b, name: `base_model.model.${module}.lora_B.weight` },
  ]);
  const path = `${folder}/adapter_model.safetensors`;
  await writeSafetensors(path, tensors, { ...options, metadata: { format: "pt" } });
  const config = `${JSON.stringify(servedConfig(adapter, pairs, options), null, 2)}\n`;
  await files.writeAtomic(`${folder}/adapter_config.json`, config);
  return {
    highestRank: pairs.reduce((most, { rank }) => Math.max(most, rank), adapter.rank),
    lacksUnembedding: adapter.pairs.some(({ module }) => isUnembedding(module)),
  };
}

function servedPairs(adapter: LoraAdapter, options: ServedOptions): readonly ServedPair[] {
  const { family, files, dropsUnembedding } = options;
  const kept = adapter.pairs.filter(({ module }) => !isUnembedding(module));
  if (kept.length < adapter.pairs.length && !dropsUnembedding) {
    throw new AppError(
      "weights-form",
      "The adapter changes the unembedding, which vLLM and SGLang refuse. Choose the form merged, leave that change out (--drop-unembed), or train with train_unembed: false.",
    );
  }
  const read = (tensor: LoraTensor): Served => servedTensor(files, adapter.path, tensor);
  const fused = new Map<string, LoraPair[]>();
  const pairs = kept.flatMap((pair): readonly ServedPair[] => {
    const experts = expertsOf(pair);
    const layer = experts === null ? fusedLayerOf(pair.module, family) : null;
    if (layer === null) return plainPairs(pair, { family, read, experts });
    fused.set(layer, [...(fused.get(layer) ?? []), pair]);
    return [];
  });
  const joined = Array.from(fused, ([layer, parts]) =>
    fusedPair(layer, parts, adapter.path, options),
  );
  return [...pairs, ...joined];
}

function plainPairs(
  pair: LoraPair,
  {
    family,
    read,
    experts,
  }: {
    readonly family: NamedFamily;
    readonly read: (tensor: LoraTensor) => Served;
    readonly experts: number | null;
  },
): readonly ServedPair[] {
  return Array.from({ length: experts ?? 1 }, (_, expert) => {
    const [a, b] = [ofExpert(pair.a, expert), ofExpert(pair.b, expert)];
    const name = experts === null ? pair.module : expertModule(pair.module, expert, family);
    return { module: plainName(name, family), rank: a.shape[0] ?? 0, a: read(a), b: read(b) };
  });
}

/** The layer whose fused projection contains the module, if servers know only the fused one; else null. */
function fusedLayerOf(module: string, { family }: NamedFamily): string | null {
  const { fused, isServedFused } = family;
  const part = fused?.parts.find((name) => module.endsWith(`.${name}`));
  return isServedFused && part !== undefined ? module.slice(0, -part.length - 1) : null;
}

/** Stacks the parts' A matrices. In B, each part has its own rows and columns; the rest is zero. */
function fusedPair(
  layer: string,
  found: readonly LoraPair[],
  path: string,
  { family, files, base }: ServedOptions,
): ServedPair {
  const { name = "", parts: names = [] } = family.family.fused ?? {};
  const parts = names.flatMap((part) =>
    found.filter(({ module }) => module === `${layer}.${part}`),
  );
  const rank = sum(parts.map(({ a }) => a.shape[0] ?? 0));
  const fusedName = `${renamed(`${layer}.${name}`, family.family.baseRenames)}.weight`;
  const rows = base?.tensors.get(fusedName)?.shape[0] ?? 0;
  const { dtype = "F32", shape: [, inputs = 0] = [] } = parts[0]?.a ?? {};
  const isFit =
    parts.length === names.length &&
    parts.every(({ a }) => a.dtype === dtype && a.shape[1] === inputs) &&
    sum(parts.map(({ b }) => b.shape[0] ?? 0)) <= rows;
  if (!isFit) {
    throw new AppError(
      "weights-form",
      `The adapter does not fit ${layer}.${name} of the base model, which consists of ${names.join(" and ")}. Check the folder of the base model, or choose the form peft.`,
    );
  }
  const size = FLOAT_BYTES[dtype];
  return {
    module: plainName(`${layer}.${name}`, family),
    rank,
    a: {
      dtype,
      shape: [rank, inputs],
      bytes: rank * inputs * size,
      pieces: async function* () {
        for (const { a } of parts) yield await bytesOf(files, path, a);
      },
    },
    b: {
      dtype,
      shape: [rows, rank],
      bytes: rows * rank * size,
      pieces: async function* () {
        const whole = new Uint8Array(rows * rank * size);
        let [row, column] = [0, 0];
        for (const { b } of parts) {
          const [outputs = 0, width = 0] = b.shape;
          const bytes = await bytesOf(files, path, b);
          for (let at = 0; at < outputs; at += 1) {
            const line = bytes.subarray(at * width * size, (at + 1) * width * size);
            whole.set(line, ((row + at) * rank + column) * size);
          }
          row += outputs;
          column += width;
        }
        yield whole;
      },
    },
  };
}

function servedTensor(files: FileSystem, path: string, tensor: LoraTensor): Served {
  const { dtype, shape, begin, end } = tensor;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield await bytesOf(files, path, tensor);
  };
  return { dtype, shape, bytes: end - begin, pieces };
}

function bytesOf(files: FileSystem, path: string, { begin, end }: LoraTensor): Promise<Uint8Array> {
  return files.readRange(path, begin, end - begin);
}

/** https://huggingface.co/docs/peft/package_reference/lora#peft.LoraConfig */
function servedConfig(
  { rank, alpha }: LoraAdapter,
  pairs: readonly ServedPair[],
  { baseModel, family: { family } }: ServedOptions,
): object {
  const leaf = (module: string): string => module.slice(module.lastIndexOf(".") + 1);
  const modules = new Set(pairs.map(({ module }) => leaf(module)));
  const fused = family.isServedFused ? family.fused?.name : null;
  const others = new Map(
    pairs
      .filter(({ module }) => leaf(module) === fused)
      .map((pair) => [leaf(pair.module), pair.rank] as const),
  );
  return {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    auto_mapping: null,
    base_model_name_or_path: plainModelName(baseModel),
    r: rank,
    lora_alpha: alpha,
    rank_pattern: Object.fromEntries(others),
    // Keeps the scale, alpha / rank.
    alpha_pattern: Object.fromEntries(
      Array.from(others, ([name, own]) => [name, Math.trunc((alpha * own) / rank)]),
    ),
    target_modules: [...modules].sort(),
    lora_dropout: 0,
    bias: "none",
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    modules_to_save: null,
  };
}
