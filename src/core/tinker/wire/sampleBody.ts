/**
 * The body of a sample request. Token ids are written as digits directly into the bytes to send: building lists and strings of
 * thousands of ids on every turn would take several times the time and memory.
 */

import { sum } from "../../../shared/mean.ts";
import type { ImageFile } from "../../images/imageFile.ts";
import type { Run } from "../../images/imageIds.ts";
import { imageChunk, inputParts, type TokenIds } from "./modelInput.ts";

export interface SamplePrompt {
  /** Token ids; negative ones refer to `images`. */
  readonly prompt: TokenIds;
  readonly images?: readonly ImageFile[];
}

const ZERO = 48;
const COMMA = 44;
const encoder = new TextEncoder();

/** JSON of the non-empty `body` plus the member `prompt`. @throws AppError `tinker-invalid-input` for an id of an image that is missing */
export function encodeSampleBody({ prompt, images = [] }: SamplePrompt, body: object): Uint8Array {
  const pieces: (Uint8Array | Run)[] = [];
  const addText = (text: string) => pieces.push(encoder.encode(text));
  addText('{"prompt":{"chunks":[');
  for (const [i, part] of inputParts(prompt, images).entries()) {
    if (i > 0) addText(",");
    if (part.kind === "image") addText(JSON.stringify(imageChunk(part)));
    else {
      addText('{"type":"encoded_text","tokens":[');
      pieces.push(part.run);
      addText("]}");
    }
  }
  addText(`]},${JSON.stringify(body).slice(1)}`);
  const bytes = new Uint8Array(sum(pieces.map((piece) => lengthOf(piece, prompt))));
  let at = 0;
  for (const piece of pieces) {
    if (isRun(piece)) writeIds(prompt, piece, bytes.subarray(at));
    else bytes.set(piece, at);
    at += lengthOf(piece, prompt);
  }
  return bytes;
}

function isRun(piece: Uint8Array | Run): piece is Run {
  return !(piece instanceof Uint8Array);
}

/** In bytes. */
function lengthOf(piece: Uint8Array | Run, ids: TokenIds): number {
  if (!isRun(piece)) return piece.length;
  let length = piece.end - piece.start - 1;
  for (let i = piece.start; i < piece.end; i++) length += digitCount(ids[i] ?? 0);
  return length;
}

/** Ids with commas between them. */
function writeIds(ids: TokenIds, { start, end }: Run, bytes: Uint8Array): void {
  let at = 0;
  for (let i = start; i < end; i++) {
    if (i > start) bytes[at++] = COMMA;
    let id = ids[i] ?? 0;
    at += digitCount(id);
    for (let digit = at - 1; ; digit--) {
      const rest = Math.floor(id / 10);
      bytes[digit] = ZERO + id - rest * 10;
      if (rest === 0) break;
      id = rest;
    }
  }
}

function digitCount(id: number): number {
  let count = 1;
  for (let limit = 10; id >= limit; limit *= 10) count += 1;
  return count;
}
