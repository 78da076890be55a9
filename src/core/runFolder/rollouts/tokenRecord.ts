/**
 * The binary record of one token sequence in `…tokens.bin`. Little-endian, every record a multiple of 4 bytes:
 *
 * | byte   | type       | what                                                             |
 * | 0      | u32        | `TKR1` in ASCII                                                  |
 * | 4      | u32        | length of the record in bytes, with this header                  |
 * | 8      | u32        | number of tokens, n                                              |
 * | 12     | u32        | group                                                            |
 * | 16     | u32        | rollout                                                          |
 * | 20     | u32        | stream                                                           |
 * | 24     | i32[n]     | token ids                                                        |
 * | 24+4n  | f32[n]     | log-probabilities by the sampler, 0 where the mask is 0          |
 * | 24+8n  | f32[n]     | log-probabilities by the trainer, NaN where unknown              |
 * | 24+12n | f32[n]     | advantages                                                       |
 * | 24+16n | i16[n]     | turn that produced the token, -1 for the prompt                  |
 * | 24+18n | u8[n]      | mask: 1 where the token is trained on                            |
 * | 24+19n | u8[0 to 3] | zeros up to a multiple of 4                                      |
 */

import { AppError } from "../../errors.ts";
import type { FileSystem } from "../../ports.ts";

/** All arrays have one entry per token. */
export interface TokenRecord {
  readonly group: number;
  readonly rollout: number;
  readonly stream: number;
  readonly ids: ArrayLike<number>;
  readonly samplerLogprobs: ArrayLike<number>;
  readonly trainerLogprobs: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  readonly turns: ArrayLike<number>;
  readonly mask: ArrayLike<number>;
}

const MAGIC = 0x31524b54;
const HEADER_BYTES = 24;
const BYTES_PER_TOKEN = 19;

/** @throws AppError `token-record-invalid` if the arrays differ in length */
export function encodeTokenRecord(record: TokenRecord): Uint8Array {
  const count = record.ids.length;
  const bytes = new Uint8Array(tokenRecordLength(count));
  const header = new DataView(bytes.buffer);
  const fields = [MAGIC, bytes.length, count, record.group, record.rollout, record.stream];
  fields.forEach((field, index) => {
    header.setUint32(4 * index, field, true);
  });
  const arrays = arraysOf(bytes, count);
  fill(arrays.ids, record.ids, "ids");
  fill(arrays.samplerLogprobs, record.samplerLogprobs, "samplerLogprobs");
  fill(arrays.trainerLogprobs, record.trainerLogprobs, "trainerLogprobs");
  fill(arrays.advantages, record.advantages, "advantages");
  fill(arrays.turns, record.turns, "turns");
  fill(arrays.mask, record.mask, "mask");
  return bytes;
}

/** The record at the start of `bytes`, or null if it is incomplete. */
export function decodeTokenRecord(bytes: Uint8Array): TokenRecord | null {
  if (bytes.length < HEADER_BYTES) return null;
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const field = (index: number): number => header.getUint32(4 * index, true);
  const length = field(1);
  const count = field(2);
  if (field(0) !== MAGIC || length !== tokenRecordLength(count) || bytes.length < length)
    return null;
  // A copy: typed arrays need their own alignment, and Node's `slice` would share the memory.
  const arrays = arraysOf(new Uint8Array(bytes.subarray(0, length)), count);
  return { group: field(3), rollout: field(4), stream: field(5), ...arrays };
}

/** Length in bytes of a record with `count` tokens. */
export function tokenRecordLength(count: number): number {
  return HEADER_BYTES + 4 * Math.ceil((BYTES_PER_TOKEN * count) / 4);
}

/** Views of the arrays in layout order. All supported machines are little-endian. */
function arraysOf(bytes: Uint8Array<ArrayBuffer>, count: number) {
  const { buffer } = bytes;
  const at = (bytesPerToken: number): number => HEADER_BYTES + bytesPerToken * count;
  return {
    ids: new Int32Array(buffer, at(0), count),
    samplerLogprobs: new Float32Array(buffer, at(4), count),
    trainerLogprobs: new Float32Array(buffer, at(8), count),
    advantages: new Float32Array(buffer, at(12), count),
    turns: new Int16Array(buffer, at(16), count),
    mask: new Uint8Array(buffer, at(18), count),
  };
}

function fill(
  target: { readonly length: number; set(values: ArrayLike<number>): void },
  values: ArrayLike<number>,
  name: string,
): void {
  if (values.length !== target.length) {
    throw new AppError(
      "token-record-invalid",
      `A token record needs ${target.length} entries in ${name}, not ${values.length}. This is a bug in the program.`,
    );
  }
  target.set(values);
}

interface RecordRange {
  readonly offset: number;
  readonly length: number;
}

/** Number of tokens in the record at `offset`, or null if there is no record of that length. */
export async function tokenCount(
  files: Pick<FileSystem, "readRange">,
  path: string,
  { offset, length }: RecordRange,
): Promise<number | null> {
  const bytes = await files.readRange(path, offset, HEADER_BYTES);
  if (bytes.length < HEADER_BYTES) return null;
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = header.getUint32(8, true);
  const isRecord = header.getUint32(0, true) === MAGIC && header.getUint32(4, true) === length;
  return isRecord && length === tokenRecordLength(count) ? count : null;
}

interface TokenPiece {
  readonly logprobs: Float32Array;
  readonly advantages: Float32Array;
  readonly mask: Uint8Array;
}

/** Log-probabilities, advantages and mask of `count` tokens starting at `from`, without reading the rest of the record. */
export async function readTokenPiece(
  files: Pick<FileSystem, "readRange">,
  path: string,
  piece: RecordRange & {
    readonly total: number;
    readonly from: number;
    readonly count: number;
    readonly by: "sampler" | "trainer";
  },
): Promise<TokenPiece> {
  const { offset, total, from } = piece;
  const count = Math.max(0, Math.min(piece.count, total - from));
  const start = offset + HEADER_BYTES;
  const floats = async (bytesBefore: number): Promise<Float32Array> => {
    const bytes = await files.readRange(path, start + bytesBefore * total + 4 * from, 4 * count);
    // A copy: a typed array needs its own alignment.
    return new Float32Array(Uint8Array.from(bytes).buffer);
  };
  const logprobs = await floats(piece.by === "sampler" ? 4 : 8);
  const advantages = await floats(12);
  const mask = await files.readRange(path, start + 18 * total + from, count);
  return { logprobs, advantages, mask };
}
