/** Reads a folder with a LoRA adapter as Tinker exports it, with tensors in pairs. */

import * as z from "zod";
import { AppError } from "../../errors.ts";
import type { FileSystem } from "../../ports.ts";
import { parseJson } from "../../util/jsonl.ts";
import { visibleLine } from "../../util/visibleText.ts";
import { FLOAT_BYTES, type FloatType, isFloatType } from "../floats.ts";
import { readSafetensorsHeader, type StoredTensor } from "../safetensors.ts";
import type { NamedFamily } from "./families.ts";

export interface LoraTensor extends StoredTensor {
  readonly dtype: FloatType;
}

/** Of one linear map, or of all experts of a layer. With experts, both tensors have them as first dimension, of length 1 if shared. */
export interface LoraPair {
  /** Module name without PEFT's prefix and suffix, for example `model.layers.0.self_attn.q_proj`. */
  readonly module: string;
  /** [rank, input] */
  readonly a: LoraTensor;
  /** [output, rank] */
  readonly b: LoraTensor;
}

export interface LoraAdapter {
  readonly path: string;
  readonly rank: number;
  readonly alpha: number;
  readonly pairs: readonly LoraPair[];
}

/** https://huggingface.co/docs/peft/package_reference/lora */
const configSchema = z.object({
  r: z.number().int().positive(),
  lora_alpha: z.number().positive(),
  use_rslora: z.literal(false).nullish(),
  use_dora: z.literal(false).nullish(),
  rank_pattern: z.strictObject({}).nullish(),
  alpha_pattern: z.strictObject({}).nullish(),
});
const NAME = /^base_model\.model\.(.+)\.lora_([AB])\.weight$/;

/** @throws AppError `weights-form` for an adapter unlike Tinker's exports; `safetensors-invalid`, `file-*` */
export async function readLoraAdapter(
  files: Pick<FileSystem, "readRange" | "size" | "readText">,
  folder: string,
): Promise<LoraAdapter> {
  const text = await files.readText(`${folder}/adapter_config.json`);
  const config = configSchema.safeParse(parseJson(text)?.value).data;
  if (config === undefined) {
    throw unknownForm(
      "its adapter_config.json has settings beyond r and lora_alpha, or lacks them",
    );
  }
  const path = `${folder}/adapter_model.safetensors`;
  const { tensors } = await readSafetensorsHeader(files, path);
  return { path, rank: config.r, alpha: config.lora_alpha, pairs: pairsOf(tensors) };
}

function pairsOf(tensors: ReadonlyMap<string, StoredTensor>): readonly LoraPair[] {
  const halves = new Map<string, { A?: LoraTensor; B?: LoraTensor }>();
  for (const [name, tensor] of tensors) {
    const [, module = "", half] = NAME.exec(name) ?? [];
    if (half !== "A" && half !== "B") {
      throw unknownForm(`${shown(name)} is neither lora_A nor lora_B of a module`);
    }
    const known = halves.get(module) ?? {};
    halves.set(module, { ...known, [half]: floatTensor(name, tensor) });
  }
  const pairs = Array.from(halves, ([module, { A: a, B: b }]) => {
    if (a !== undefined && b !== undefined) return checked({ module, a, b });
    throw unknownForm(`${shown(module)} lacks lora_A or lora_B`);
  });
  if (pairs.length === 0) throw unknownForm("it has no tensors");
  return pairs.filter((pair) => !isEmpty(pair));
}

/** True for the placeholder of a projection that the model lacks. */
function isEmpty({ a, b }: LoraPair): boolean {
  return a.begin === a.end && b.begin === b.end;
}

function floatTensor(name: string, { dtype, ...tensor }: StoredTensor): LoraTensor {
  const count = tensor.shape.reduce((product, size) => product * size, 1);
  if (isFloatType(dtype) && tensor.end - tensor.begin === count * FLOAT_BYTES[dtype]) {
    return { ...tensor, dtype };
  }
  throw unknownForm(`${shown(name)} is not a tensor of 32-bit or 16-bit floats`);
}

function checked(pair: LoraPair): LoraPair {
  const [{ shape: a }, { shape: b }] = [pair.a, pair.b];
  const isOfExperts = a.length === 3 && b.length === 3;
  const hasRank = a.at(-2) === b.at(-1) && pair.a.dtype === pair.b.dtype;
  const hasExperts = !isOfExperts || a[0] === b[0] || a[0] === 1 || b[0] === 1;
  const isFit = hasRank && (isOfExperts ? hasExperts : a.length === 2 && b.length === 2);
  if (isEmpty(pair) || isFit) return pair;
  throw unknownForm(
    `lora_A and lora_B of ${shown(pair.module)} have shapes [${a.join(", ")}] and [${b.join(", ")}]`,
  );
}

function shown(name: string): string {
  return JSON.stringify(visibleLine(name).slice(0, 200));
}

function unknownForm(why: string): AppError {
  return new AppError(
    "weights-form",
    `The adapter cannot be put into another form: ${why}. Choose the form peft.`,
  );
}

/** The number of experts of a pair; null for a linear map. */
export function expertsOf({ a, b }: LoraPair): number | null {
  return a.shape.length === 3 ? Math.max(a.shape[0] ?? 0, b.shape[0] ?? 0) : null;
}

/** One expert's part, or the tensor itself for a linear map. A part shared by all experts is returned for each. */
export function ofExpert(tensor: LoraTensor, expert: number): LoraTensor {
  if (tensor.shape.length < 3) return tensor;
  const [experts = 1, ...shape] = tensor.shape;
  const bytes = (tensor.end - tensor.begin) / experts;
  const begin = tensor.begin + (experts === 1 ? 0 : expert) * bytes;
  return { dtype: tensor.dtype, shape, begin, end: begin + bytes };
}

/** One expert's module name for Tinker's `LAYER.experts.w1`. @throws AppError `weights-form` */
export function expertModule(module: string, expert: number, { family }: NamedFamily): string {
  const [, layer = "", projection = ""] = /^(.+\.experts)\.(w[123])$/.exec(module) ?? [];
  const name = family.experts[projection as keyof typeof family.experts] ?? null;
  if (name !== null) return `${layer}.${expert}.${name}`;
  throw new AppError(
    "weights-form",
    `It is not known which experts ${JSON.stringify(visibleLine(module).slice(0, 200))} belongs to. Choose the form peft.`,
  );
}
