/** Image files: most are only headers, which is all the program looks at. */

import { crc32, deflateSync } from "node:zlib";
import { readImage } from "../../../src/core/images/imageFile.ts";
import type { Block } from "../../../src/core/openreward/types.ts";

export function pngBytes(width: number, height: number, rest = ""): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return Buffer.concat([bytes, Buffer.from(rest)]);
}

/** Has an application segment and fill bytes before the frame header. */
export function jpegBytes(width: number, height: number): Buffer {
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 11, 8]);
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  return Buffer.concat([head, size, Buffer.from([1, 1, 0x11, 0])]);
}

export function aPng(width = 224, height = 224, rest = "") {
  return readImage(pngBytes(width, height, rest).toString("base64"));
}

export function imageBlock(bytes: Buffer): Block {
  return { type: "image", data: bytes.toString("base64"), mimeType: "image/png" };
}

/** A complete PNG file: a gradient of red and green that every viewer shows; `blue` from 0 to 255. */
export function drawnPng(width: number, height: number, blue = 160): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      rows.set([(255 * x) / width, (255 * y) / height, blue], at);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = pngBytes(width, height).subarray(0, 8);
  const chunks = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND")];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(name: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
