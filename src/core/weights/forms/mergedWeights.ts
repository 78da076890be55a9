/** Copies a base model's folder with an adapter merged in: W + (alpha / r) B A, computed in 32-bit floats, stored in W's type. */

import type { FileSystem } from "../../ports.ts";
import type { FileProgress } from "../fetchPart.ts";
import { FLOAT_BYTES, type FloatType, fromFloats, isFloatType, toFloats } from "../floats.ts";
import { type StoredTensor, type WrittenTensor, writeSafetensors } from "../safetensors.ts";
import { type BaseFolder, CONFIG_NAME, INDEX_NAME, invalid, parseIndex } from "./baseFolder.ts";
import type { LoraAdapter, LoraTensor } from "./loraAdapter.ts";
import type { Addition, MergePlan } from "./mergePlan.ts";

export interface MergeOptions {
  /** For the output folder and the adapter. */
  readonly files: FileSystem;
  readonly adapter: LoraAdapter;
  readonly base: BaseFolder;
  readonly plan: MergePlan;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FileProgress) => void) | undefined;
}

/** Size of the tensor slices that are read, changed and written at a time. */
const SLICE_BYTES = 2 ** 20;
/** Files besides the weights that say how to use them. Excludes the model card, which is rewritten, and other weights. */
const COPIED =
  /^(?!README\.md$)(?!.*\.index\.json$)(\w[\w.-]*\.(json|txt|model|jinja|tiktoken|py)|(LICENSE|NOTICE)[\w.-]*)$/i;

/**
 * Writes the files into `folder` and returns their names. An existing weights file is complete and kept.
 * @throws AppError `base-invalid`, `disk`, `file-*`; the reason of `signal`
 */
export async function writeMergedWeights(
  folder: string,
  options: MergeOptions,
): Promise<readonly string[]> {
  const { files, base } = options;
  requireFloats(options);
  for (const [file, { tensors, metadata }] of base.shards) {
    const path = `${folder}/${file}`;
    if ((await files.size(path)) !== null) continue;
    const written = Array.from(tensors, ([name, tensor]) =>
      mergedTensor({ name, file, tensor }, options),
    );
    const { untied } = options.plan;
    const embedding = tensors.get(untied?.from ?? "");
    if (untied !== null && embedding !== undefined) {
      written.push(mergedTensor({ name: untied.name, file, tensor: embedding }, options));
    }
    await writeSafetensors(path, written, { ...options, metadata });
  }
  const described = await describedWeights(options);
  const others = (await base.files.list(base.folder)).filter(
    (name) => COPIED.test(name) && !described.has(name),
  );
  for (const name of others) await copyFile(name, folder, options);
  for (const [name, text] of described) await files.writeAtomic(`${folder}/${name}`, text);
  return [...others, ...described.keys(), ...base.shards.keys()].sort();
}

function requireFloats({ base, plan }: MergeOptions): void {
  for (const name of plan.additions.keys()) {
    const tensor = base.tensors.get(name === plan.untied?.name ? plan.untied.from : name);
    if (tensor === undefined || isFloatType(tensor.dtype)) continue;
    throw invalid(base.folder, `${name} is of ${tensor.dtype}, not of BF16, F16 or F32`);
  }
}

interface Source {
  readonly name: string;
  readonly file: string;
  readonly tensor: StoredTensor;
}

function mergedTensor(source: Source, options: MergeOptions): WrittenTensor {
  const { name, tensor } = source;
  const { dtype, shape, begin, end } = tensor;
  const additions = options.plan.additions.get(name) ?? [];
  const pieces = (): AsyncIterable<Uint8Array> =>
    additions.length > 0 && isFloatType(dtype)
      ? changedSlices(source, { ...options, dtype, additions })
      : slices(options.base, source.file, { begin, end });
  return { name, dtype, shape, bytes: end - begin, pieces };
}

async function* slices(
  { files, folder }: BaseFolder,
  name: string,
  { begin, end }: Pick<StoredTensor, "begin" | "end">,
): AsyncGenerator<Uint8Array> {
  for (let at = begin; at < end; at += SLICE_BYTES) {
    yield await files.readRange(`${folder}/${name}`, at, Math.min(SLICE_BYTES, end - at));
  }
}

interface Changing extends MergeOptions {
  readonly dtype: FloatType;
  readonly additions: readonly Addition[];
}

async function* changedSlices(
  { file, tensor }: Source,
  { dtype, additions, ...options }: Changing,
): AsyncGenerator<Uint8Array> {
  const { base } = options;
  const [rows = 0, columns = 0] = tensor.shape.slice(-2);
  const rowBytes = columns * FLOAT_BYTES[dtype];
  const most = Math.max(1, Math.floor(SLICE_BYTES / rowBytes));
  const matrices = tensor.shape.length === 3 ? (tensor.shape[0] ?? 0) : 1;
  for (let matrix = 0; matrix < matrices; matrix += 1) {
    const own = additions.filter((addition) => addition.matrix === matrix);
    const products: Product[] = [];
    for (const addition of own) products.push(await productOf(addition, options));
    for (let row = 0; row < rows; row += most) {
      const count = Math.min(most, rows - row);
      const at = tensor.begin + (matrix * rows + row) * rowBytes;
      const bytes = await base.files.readRange(`${base.folder}/${file}`, at, count * rowBytes);
      const values = toFloats(bytes, dtype);
      for (const product of products) addRows(values, { row, count, columns }, product);
      yield fromFloats(values, dtype);
    }
  }
}

/** `left` times `right` is the addition. The rank is zero-padded to a multiple of four. */
interface Product extends Addition {
  /** Padded. */
  readonly rank: number;
  /** [rows, rank] */
  readonly left: Float32Array;
  /** [rank, width] */
  readonly right: Float32Array;
  readonly rows: number;
  readonly width: number;
}

async function productOf(
  addition: Addition,
  { files, adapter }: Pick<MergeOptions, "files" | "adapter">,
): Promise<Product> {
  const read = async ({ begin, end, dtype }: LoraTensor): Promise<Float32Array> =>
    toFloats(await files.readRange(adapter.path, begin, end - begin), dtype);
  const scale = adapter.alpha / adapter.rank;
  const a = await read(addition.a);
  const b = (await read(addition.b)).map((value) => value * scale);
  const { isTransposed } = addition;
  const [own = 0, inputs = 0] = addition.a.shape;
  const [outputs = 0] = addition.b.shape;
  const [rows, width] = isTransposed ? [inputs, outputs] : [outputs, inputs];
  const rank = Math.ceil(own / 4) * 4;
  const left = packed(isTransposed ? a : b, { rows, columns: own, isTransposed }, [rows, rank]);
  const right = packed(isTransposed ? b : a, { rows: own, columns: width, isTransposed }, [
    rank,
    width,
  ]);
  return { ...addition, rank, left, right, rows, width };
}

/** A zero-padded matrix of `rows` and `columns`; the input may be transposed. */
function packed(
  values: Float32Array,
  {
    rows,
    columns,
    isTransposed,
  }: { readonly rows: number; readonly columns: number; readonly isTransposed: boolean },
  [height, width]: readonly [number, number],
): Float32Array {
  const out = new Float32Array(height * width);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = isTransposed ? column * rows + row : row * columns + column;
      out[row * width + column] = values[at] ?? 0;
    }
  }
  return out;
}

/** Adds the part of a product that falls into `count` rows starting at `row`. */
function addRows(
  values: Float32Array,
  {
    row,
    count,
    columns,
  }: { readonly row: number; readonly count: number; readonly columns: number },
  product: Product,
): void {
  const { firstRow, firstColumn, columnStep, rows, width } = product;
  const sums = new Float32Array(width);
  const last = Math.min(row + count, firstRow + rows);
  for (let at = Math.max(row, firstRow); at < last; at += 1) {
    rowOf(product, at - firstRow, sums);
    const start = (at - row) * columns + firstColumn;
    for (let j = 0; j < width; j += 1) {
      const index = start + j * columnStep;
      values[index] = (values[index] ?? 0) + (sums[j] ?? 0);
    }
  }
}

/** Computes one row of a product. Four terms per pass take a third of the time of one, measured at rank 32. */
function rowOf({ left, right, rank, width }: Product, row: number, sums: Float32Array): void {
  sums.fill(0);
  for (let k = 0; k < rank; k += 4) {
    const [first = 0, second = 0, third = 0, fourth = 0] = left.subarray(row * rank + k);
    const one = k * width;
    const [two, three, four] = [one + width, one + 2 * width, one + 3 * width];
    for (let j = 0; j < width; j += 1) {
      sums[j] =
        (sums[j] ?? 0) +
        first * (right[one + j] ?? 0) +
        second * (right[two + j] ?? 0) +
        third * (right[three + j] ?? 0) +
        fourth * (right[four + j] ?? 0);
    }
  }
}

/** The files that describe the weights, by name: unchanged, or adapted for a separate unembedding. */
async function describedWeights({
  base: { files, folder, tensors },
  plan: { untied, hasOwnHead },
}: MergeOptions): Promise<ReadonlyMap<string, string>> {
  const described = new Map<string, string>();
  const embedding = tensors.get(untied?.from ?? "");
  const config = await files.readText(`${folder}/${CONFIG_NAME}`);
  // A base model may store an unembedding that its configuration says to ignore.
  if (untied !== null || (hasOwnHead && TIED.test(config))) {
    described.set(CONFIG_NAME, untiedConfig(config));
  }
  const path = `${folder}/${INDEX_NAME}`;
  if ((await files.size(path)) === null) return described;
  const stored = await files.readText(path);
  if (untied === null || embedding === undefined) return described.set(INDEX_NAME, stored);
  const { metadata, weight_map: map = {}, ...others } = parseIndex(stored) ?? {};
  const index = {
    ...others,
    metadata: {
      ...metadata,
      total_size: (metadata?.total_size ?? 0) + embedding.end - embedding.begin,
    },
    weight_map: { ...map, [untied.name]: embedding.file },
  };
  return described.set(INDEX_NAME, `${JSON.stringify(index, null, 2)}\n`);
}

const TIED = /"tie_word_embeddings"\s*:\s*true/;

/** Edits the text, because the configuration may contain numbers that JSON does not support. */
function untiedConfig(text: string): string {
  const key = '"tie_word_embeddings": false';
  const changed = text.replace(new RegExp(TIED, "g"), key);
  return changed.includes(key) ? changed : text.replace("{", `{\n  ${key},`);
}

async function copyFile(
  name: string,
  folder: string,
  { files, base }: MergeOptions,
): Promise<void> {
  const part = `${folder}/${name}.part`;
  const end = (await base.files.size(`${base.folder}/${name}`)) ?? 0;
  await files.remove(part);
  await files.append(part, "");
  for await (const piece of slices(base, name, { begin: 0, end })) {
    await files.append(part, piece);
  }
  await files.rename(part, `${folder}/${name}`);
}
