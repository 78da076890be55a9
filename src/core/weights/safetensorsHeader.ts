/** The layout of a safetensors file, checked without its data: https://huggingface.co/docs/safetensors/index#format */

import * as z from "zod";
import type { FileSystem } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";

const tensorSchema = z.object({
  dtype: z.string(),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});

const LENGTH_BYTES = 8;
/** What the reference implementation reads at most. */
const MAX_HEADER_BYTES = 100_000_000;

/** Why a file is no complete safetensors file, as the end of a sentence; null for one whose header and size fit each other. */
export async function safetensorsFault(
  files: Pick<FileSystem, "readRange" | "size">,
  path: string,
): Promise<string | null> {
  const size = (await files.size(path)) ?? 0;
  if (size < LENGTH_BYTES) return `it has only ${size} bytes`;
  const head = await files.readRange(path, 0, LENGTH_BYTES);
  const headerBytes = Number(
    new DataView(head.buffer, head.byteOffset, head.byteLength).getBigUint64(0, true),
  );
  if (headerBytes > MAX_HEADER_BYTES || LENGTH_BYTES + headerBytes > size) {
    return "its header is longer than the file";
  }
  const text = new TextDecoder().decode(await files.readRange(path, LENGTH_BYTES, headerBytes));
  const header = z.record(z.string(), z.unknown()).safeParse(parseJson(text)?.value);
  if (!header.success) return "its header is not JSON";
  const { __metadata__: _, ...entries } = header.data;
  const tensors = z.record(z.string(), tensorSchema).safeParse(entries);
  if (!tensors.success) return "its header describes no tensors";
  const ends = Object.values(tensors.data).map(({ data_offsets: [, end] }) => end);
  const expected = LENGTH_BYTES + headerBytes + Math.max(0, ...ends);
  return expected === size ? null : `it has ${size} bytes instead of ${expected}`;
}
