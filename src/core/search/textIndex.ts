/** Index of one file of rollouts: the trigrams in each of its blocks. The file only grows, or is moved together with its index. */

import type { RolloutSet } from "../../shared/rolloutSet.ts";
import type { FolderFiles } from "../ports.ts";
import { evalPath, stepPaths } from "../runFolder/files/layout.ts";
import { addTrigrams, hasTrigrams, setBits, setBytes } from "./trigrams.ts";

export interface IndexBlock {
  readonly offset: number;
  readonly length: number;
  /** Trigrams of its bytes, in a set of 2^`bits` bits. */
  readonly trigrams: Uint8Array;
  readonly bits: number;
}

/** Blocks of whole lines, from the start of the file to `size`. */
export interface TextIndex {
  readonly size: number;
  readonly blocks: readonly IndexBlock[];
}

/** A block ends with the line that reaches this length. */
const BLOCK_BYTES = 64 * 1024;
/** Bytes per read. Other events are handled between reads. */
const CHUNK_BYTES = 512 * 1024;
/** Longer lines are cut, because readers do not read them. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_INDEX_BYTES = 512 * 1024 * 1024;
/** Text of a step's rollouts beyond this is not searched, because a manipulated file can have any size. */
const MAX_TEXT_BYTES = 512 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Header: `TKS1` in ASCII, the number of blocks, the size of the file in two words, and a checksum of the rest. */
const MAGIC = 0x31534b54;
const HEADER_BYTES = 20;
const WORD = 2 ** 32;

export interface TextPaths {
  readonly bodies: string;
  readonly index: string;
}

export function textPaths(folder: string, { source, step }: RolloutSet): TextPaths {
  const bodies = source === "training" ? stepPaths(folder, step).bodies : evalPath(folder, step);
  return { bodies, index: bodies.replace(/\.jsonl$/, ".search.bin") };
}

/** Builds the index of the stored rollouts, and writes it next to them. @throws AppError `disk`, `file-unreadable` */
export async function writeTextIndex(files: FolderFiles, paths: TextPaths): Promise<TextIndex> {
  const index = await buildTextIndex(files, paths.bodies);
  await storeTextIndex(files, paths, index);
  return index;
}

/** Writes an index next to its rollouts. Empty indexes are not written. @throws AppError `disk` */
export async function storeTextIndex(
  files: FolderFiles,
  paths: TextPaths,
  index: TextIndex,
): Promise<void> {
  if (index.blocks.length > 0) await files.writeAtomic(paths.index, encodeTextIndex(index));
}

/** The stored index; null if it is missing, damaged, or does not match the file's size. */
export async function readTextIndex(
  files: FolderFiles,
  paths: TextPaths,
): Promise<TextIndex | null> {
  const [size, stored] = await Promise.all([
    textSize(files, paths.bodies),
    files.size(paths.index),
  ]);
  if (size === null || stored === null || stored > MAX_INDEX_BYTES) return null;
  const index = decodeTextIndex(await files.readRange(paths.index, 0, stored));
  return index?.size === size ? index : null;
}

export async function buildTextIndex(files: FolderFiles, bodies: string): Promise<TextIndex> {
  const size = (await textSize(files, bodies)) ?? 0;
  const blocks: IndexBlock[] = [];
  let offset = 0;
  let chunkBytes = CHUNK_BYTES;
  while (offset < size) {
    const chunk = await files.readRange(bodies, offset, Math.min(chunkBytes, size - offset));
    if (chunk.length === 0) break;
    const isTooLong = chunk.length >= MAX_LINE_BYTES;
    const isLast = isTooLong || offset + chunk.length >= size;
    const taken = addBlocks(blocks, { chunk, offset, isLast });
    // A line longer than a chunk is read again with a larger chunk, which is kept until a line end is found.
    if (taken === 0) chunkBytes *= 2;
    else if (!isTooLong) chunkBytes = CHUNK_BYTES;
    offset += taken;
  }
  return { size: offset, blocks };
}

/** How much of the file is searched; null if it does not exist. */
async function textSize(files: FolderFiles, bodies: string): Promise<number | null> {
  const size = await files.size(bodies);
  return size === null ? null : Math.min(size, MAX_TEXT_BYTES);
}

/** Adds the blocks that end in `chunk`, and returns their total length. */
function addBlocks(
  blocks: IndexBlock[],
  { chunk, offset, isLast }: { chunk: Uint8Array; offset: number; isLast: boolean },
): number {
  let start = 0;
  while (start < chunk.length) {
    const lineFeed = chunk.indexOf(LINE_FEED, start + BLOCK_BYTES - 1);
    if (lineFeed === -1 && !isLast) break;
    const end = lineFeed === -1 ? chunk.length : lineFeed + 1;
    const bits = setBits(end - start);
    const trigrams = new Uint8Array(setBytes(bits));
    addTrigrams(trigrams, bits, chunk.subarray(start, end));
    blocks.push({ offset: offset + start, length: end - start, trigrams, bits });
    start = end;
  }
  return start;
}

function encodeTextIndex({ size, blocks }: TextIndex): Uint8Array {
  const sets = HEADER_BYTES + 4 * blocks.length;
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + block.trigrams.length, sets));
  const view = new DataView(bytes.buffer);
  let end = sets;
  for (const [at, { length, trigrams }] of blocks.entries()) {
    view.setUint32(HEADER_BYTES + 4 * at, length, true);
    bytes.set(trigrams, end);
    end += trigrams.length;
  }
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, blocks.length, true);
  view.setUint32(8, size % WORD, true);
  view.setUint32(12, Math.floor(size / WORD), true);
  view.setUint32(16, checksum(bytes.subarray(HEADER_BYTES)), true);
  return bytes;
}

/** Null if the bytes are not a complete index. */
function decodeTextIndex(bytes: Uint8Array): TextIndex | null {
  if (bytes.length < HEADER_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint32(4, true);
  const size = view.getUint32(12, true) * WORD + view.getUint32(8, true);
  let end = HEADER_BYTES + 4 * count;
  if (view.getUint32(0, true) !== MAGIC || end > bytes.length) return null;
  if (view.getUint32(16, true) !== checksum(bytes.subarray(HEADER_BYTES))) return null;
  const blocks: IndexBlock[] = [];
  let offset = 0;
  for (let at = 0; at < count; at += 1) {
    const length = view.getUint32(HEADER_BYTES + 4 * at, true);
    const bits = setBits(length);
    const trigrams = bytes.subarray(end, end + setBytes(bits));
    blocks.push({ offset, length, trigrams, bits });
    offset += length;
    end += trigrams.length;
  }
  return offset === size && end === bytes.length ? { size, blocks } : null;
}

/** Sums 32-bit words, because all parts of an index consist of them. */
function checksum(bytes: Uint8Array): number {
  // All supported machines are little-endian. Unaligned bytes are copied.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  let sum = 0;
  for (let at = 0; at < words.length; at += 1) sum = (Math.imul(sum, 31) + (words[at] ?? 0)) | 0;
  return sum >>> 0;
}

/** The blocks that may contain a text with these trigrams. */
export function candidateBlocks(
  { blocks }: TextIndex,
  hashes: readonly number[],
): readonly IndexBlock[] {
  return blocks.filter(({ trigrams, bits }) => hasTrigrams(trigrams, bits, hashes));
}
