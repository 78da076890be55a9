/** Reads safetensors headers and writes such files tensor by tensor: https://huggingface.co/docs/safetensors/index#format */

import * as z from "zod";
import { AppError } from "../errors.ts";
import type { FileSystem } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import type { FileProgress } from "./fetchPart.ts";

/** A tensor's location in its file, in row-major order. */
export interface StoredTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Byte offset from the start of the file. */
  readonly begin: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  /** Ordered by position of their data. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

type Reading = Pick<FileSystem, "readRange" | "size">;

const tensorSchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});
const metadataSchema = z.record(z.string(), z.string()).default({});

const LENGTH_BYTES = 8;
/** The reference implementation's limit. */
const MAX_HEADER_BYTES = 100_000_000;

/** Why a file is not a complete safetensors file, as the end of a sentence; null if its header matches its size. */
export async function safetensorsFault(files: Reading, path: string): Promise<string | null> {
  const found = await read(files, path);
  return typeof found === "string" ? found : null;
}

/** @throws AppError `safetensors-invalid`, `file-*` */
export async function readSafetensorsHeader(
  files: Reading,
  path: string,
): Promise<SafetensorsHeader> {
  const found = await read(files, path);
  if (typeof found !== "string") return found;
  throw new AppError(
    "safetensors-invalid",
    `${path} is not a complete safetensors file: ${found}. Download it again.`,
    { data: { path } },
  );
}

/** A header, or what is wrong with it. */
async function read(files: Reading, path: string): Promise<SafetensorsHeader | string> {
  const size = (await files.size(path)) ?? 0;
  if (size < LENGTH_BYTES) return `it has only ${size} bytes`;
  const headerBytes = lengthOf(await files.readRange(path, 0, LENGTH_BYTES), size);
  if (headerBytes === null) return CUT_OFF;
  return parseHeader(await files.readRange(path, LENGTH_BYTES, headerBytes), size);
}

/** The header of a file in memory, or what is wrong with it, as the end of a sentence. */
export function decodeSafetensorsHeader(bytes: Uint8Array): SafetensorsHeader | string {
  if (bytes.length < LENGTH_BYTES) return `it has only ${bytes.length} bytes`;
  const headerBytes = lengthOf(bytes, bytes.length);
  if (headerBytes === null) return CUT_OFF;
  return parseHeader(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + headerBytes), bytes.length);
}

const CUT_OFF = "its header is longer than the file";

/** Bytes of the header of a file of `size` bytes that begins with `head`; null if the file is shorter. */
function lengthOf(head: Uint8Array, size: number): number | null {
  const view = new DataView(head.buffer, head.byteOffset, LENGTH_BYTES);
  const bytes = Number(view.getBigUint64(0, true));
  return bytes > MAX_HEADER_BYTES || LENGTH_BYTES + bytes > size ? null : bytes;
}

function parseHeader(bytes: Uint8Array, size: number): SafetensorsHeader | string {
  const json = parseJson(new TextDecoder().decode(bytes))?.value;
  const header = z.record(z.string(), z.unknown()).safeParse(json);
  if (!header.success) return "its header is not JSON";
  const { __metadata__: given, ...entries } = header.data;
  const metadata = metadataSchema.safeParse(given);
  if (!metadata.success) return "its metadata are not texts";
  const tensors = z.record(z.string(), tensorSchema).safeParse(entries);
  if (!tensors.success) return "its header describes no tensors";
  const start = LENGTH_BYTES + bytes.length;
  const stored = Object.entries(tensors.data).map(([name, { dtype, shape, data_offsets }]) => {
    const [begin, end] = data_offsets;
    return [name, { dtype, shape, begin: start + begin, end: start + end }] as const;
  });
  stored.sort(([, one], [, other]) => one.begin - other.begin);
  const expected = stored.reduce((last, [, { end }]) => Math.max(last, end), start);
  if (expected !== size) return `it has ${size} bytes instead of ${expected}`;
  return { tensors: new Map(stored), metadata: metadata.data };
}

/** A tensor of a file to be written. */
export interface TensorLayout {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: number;
}

/** The header for consecutive tensors; padded so that their data starts at a multiple of eight bytes. */
export function encodeSafetensorsHeader(
  tensors: readonly TensorLayout[],
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let offset = 0;
  for (const { name, dtype, shape, bytes } of tensors) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const paddedBytes = Math.ceil(text.length / 8) * 8;
  const out = new Uint8Array(LENGTH_BYTES + paddedBytes).fill(0x20);
  new DataView(out.buffer).setBigUint64(0, BigInt(paddedBytes), true);
  out.set(text, LENGTH_BYTES);
  return out;
}

export interface WrittenTensor extends TensorLayout {
  /** The data in order, `bytes` in total. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

export interface WriteOptions {
  readonly files: Pick<FileSystem, "append" | "remove" | "rename">;
  readonly metadata: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FileProgress) => void) | undefined;
}

/** Writes `PATH.part`, renamed once complete. @throws AppError `disk`; the reason of `signal`; whatever a piece throws */
export async function writeSafetensors(
  path: string,
  tensors: readonly WrittenTensor[],
  { files, metadata, signal, onProgress }: WriteOptions,
): Promise<void> {
  const part = `${path}.part`;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const head = encodeSafetensorsHeader(tensors, metadata);
  const totalBytes = tensors.reduce((sum, { bytes }) => sum + bytes, head.length);
  let receivedBytes = head.length;
  await files.remove(part);
  await files.append(part, head);
  for (const { pieces } of tensors) {
    for await (const piece of pieces()) {
      signal?.throwIfAborted();
      await files.append(part, piece);
      receivedBytes += piece.length;
      onProgress?.({ name, receivedBytes, totalBytes });
    }
  }
  await files.rename(part, path);
}
