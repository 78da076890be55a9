/** Reads a model folder: config.json with Llama keys, model.safetensors with Hugging Face names, and tokenizer.json. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import type { ByteTable } from "../../node/tokenizer/byteTable.ts";
import { compileModel } from "../../node/tokenizer/compiledModel.ts";
import { type Architecture, baseLayout, type TensorSpan } from "./architecture.ts";
import { decodeSafetensors, encodeSafetensors, type Tensor } from "./safetensors.ts";

const configSchema = z.object({
  name: z.string(),
  vocab_size: z.number().int().positive().multipleOf(8),
  hidden_size: z.number().int().positive().multipleOf(8),
  num_hidden_layers: z.number().int().positive(),
  num_attention_heads: z.number().int().positive(),
  intermediate_size: z.number().int().positive().multipleOf(8),
  max_position_embeddings: z.number().int().positive(),
  rope_theta: z.number().positive(),
  rms_norm_eps: z.number().positive(),
  eos_token_id: z.number().int().nonnegative(),
});

export interface ModelFolder {
  readonly name: string;
  readonly arch: Architecture;
  readonly eosIds: readonly number[];
  /** All weights, in the layout of {@link baseLayout}. */
  readonly base: Float32Array;
  readonly tokens: ByteTable;
}

/** @throws AppError `engine-model` naming the missing or invalid file */
export async function loadModelFolder(folder: string): Promise<ModelFolder> {
  const config = parseConfig(folder, await readJson(join(folder, "config.json")));
  const arch = architecture(config);
  const path = join(folder, "model.safetensors");
  const base = decodeBase(arch, await read(path), path);
  const { tokenizer } = await compileModel(folder);
  return {
    name: config.name,
    arch,
    eosIds: [config.eos_token_id],
    base,
    tokens: tokenizer.table,
  };
}

/** The architecture described by a config.json. @throws AppError `engine-model` */
export async function readArchitecture(folder: string): Promise<Architecture> {
  return architecture(parseConfig(folder, await readJson(join(folder, "config.json"))));
}

function parseConfig(folder: string, json: unknown): z.infer<typeof configSchema> {
  const config = configSchema.safeParse(json);
  if (config.success) return config.data;
  throw new AppError(
    "engine-model",
    `${folder}/config.json is not a model this engine computes: ${z.prettifyError(config.error)}`,
  );
}

function architecture(config: z.infer<typeof configSchema>): Architecture {
  const arch: Architecture = {
    vocabSize: config.vocab_size,
    hiddenSize: config.hidden_size,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    feedForwardSize: config.intermediate_size,
    maxContext: config.max_position_embeddings,
    ropeTheta: config.rope_theta,
    normEps: config.rms_norm_eps,
  };
  // The attention kernel processes a head sixteen floats at a time.
  if ((arch.hiddenSize / arch.heads) % 16 !== 0) {
    throw new AppError(
      "engine-model",
      `Head size ${arch.hiddenSize / arch.heads} is not a multiple of 16.`,
    );
  }
  return arch;
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new AppError(
      "engine-model",
      `The embedded model lacks ${path}. Run \`npm run build\`, or reinstall.`,
      {
        cause,
      },
    );
  }
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await read(path)));
}

/** Projections are stored as [output, input] and used as [input, output]. */
function isTransposed(span: TensorSpan): boolean {
  return span.name.includes("_proj.");
}

function decodeBase(arch: Architecture, bytes: Uint8Array, path: string): Float32Array {
  const { tensors } = decodeSafetensors(bytes);
  const layout = baseLayout(arch);
  const base = new Float32Array(layout.length);
  for (const span of layout.all) {
    const tensor = tensors.get(span.name);
    if (tensor === undefined || tensor.data.length !== span.rows * span.columns) {
      throw new AppError(
        "engine-model",
        `${path} lacks tensor ${span.name} of ${span.rows} x ${span.columns}.`,
      );
    }
    base.set(
      isTransposed(span) ? transposed(tensor.data, span.columns, span.rows) : tensor.data,
      span.offset,
    );
  }
  return base;
}

/** Base weights as a safetensors file of 16-bit floats. */
export function encodeBase(arch: Architecture, base: Float32Array): Uint8Array {
  const tensors = new Map<string, Tensor>();
  for (const span of baseLayout(arch).all) {
    const data = base.slice(span.offset, span.offset + span.rows * span.columns);
    tensors.set(
      span.name,
      isTransposed(span)
        ? { shape: [span.columns, span.rows], data: transposed(data, span.rows, span.columns) }
        : { shape: span.rows === 1 ? [span.columns] : [span.rows, span.columns], data },
    );
  }
  return encodeSafetensors({ tensors, metadata: { format: "pt" } }, "F16");
}

/** [rows, columns] -> [columns, rows] */
function transposed(data: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(data.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) out[j * rows + i] = data[i * columns + j] ?? 0;
  }
  return out;
}
