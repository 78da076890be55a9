/** Splits records into chunks of a `.wandb` file, in blocks of 32 KiB from the start of the file: `docs/protocols/wandb.md#framing`. */

import { concatBytes } from "../../../../util/concatBytes.ts";

/** `:W&B`, the magic number, and the version. */
export const FILE_HEADER = Uint8Array.of(0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0);
const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 7;
const WHOLE = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

/** The bytes to append at byte `position` of the file to add a record. */
export function frameRecord(record: Uint8Array, position: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = position;
  let taken = 0;
  let isFirst = true;
  let isLast = false;
  while (!isLast) {
    let left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      parts.push(new Uint8Array(left));
      at += left;
      left = BLOCK_BYTES;
    }
    const payload = record.subarray(taken, taken + left - HEADER_BYTES);
    taken += payload.length;
    isLast = taken === record.length;
    parts.push(chunkHeader(payload, chunkType(isFirst, isLast)), payload);
    at += HEADER_BYTES + payload.length;
    isFirst = false;
  }
  return concatBytes(parts);
}

function chunkType(isFirst: boolean, isLast: boolean): number {
  if (isFirst) return isLast ? WHOLE : FIRST;
  return isLast ? LAST : MIDDLE;
}

function chunkHeader(payload: Uint8Array, type: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  header[HEADER_BYTES - 1] = type;
  view.setUint32(0, crc32(Uint8Array.of(type), payload), true);
  view.setUint16(4, payload.length, true);
  return header;
}

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** Checksum of the concatenated parts. */
export function crc32(...parts: readonly Uint8Array[]): number {
  let crc = 0xffffffff;
  for (const part of parts) {
    for (const byte of part) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
