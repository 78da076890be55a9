/** As much of protobuf's encoding as the records of a `.wandb` file need; zero, empty and false are left out. */

import { joinParts } from "./framing.ts";

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const NOTHING = new Uint8Array(0);

/** A whole number. */
export function numberField(field: number, value: number): Uint8Array {
  if (value === 0) return NOTHING;
  return joinParts([varint((field << 3) | VARINT), varint(value)]);
}

export function textField(field: number, text: string | null): Uint8Array {
  return text === null || text === "" ? NOTHING : bytesField(field, new TextEncoder().encode(text));
}

/** A message, which may be empty. */
export function messageField(field: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return bytesField(field, joinParts(parts));
}

function bytesField(field: number, bytes: Uint8Array): Uint8Array {
  return joinParts([varint((field << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const more = rest > 0x7fn ? 0x80 : 0;
    bytes.push(Number(rest & 0x7fn) | more);
    rest >>= 7n;
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
