/** Reduces a screenshot to 256 colors, chosen by frequency. */

import { deflateSync, inflateSync } from "node:zlib";
import { crc32 } from "../../src/core/tracking/wandb/offline/log/framing.ts";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLORS = 256;
const CHANNELS_BY_TYPE: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

interface Pixels extends Omit<Layout, "channels"> {
  /** Three bytes per pixel. */
  readonly rgb: Uint8Array;
}

interface Color {
  readonly rgb: readonly [number, number, number];
  readonly count: number;
}

/** Converts a PNG to a smaller PNG. @throws Error for a kind of PNG that browsers do not produce for screenshots */
export function toPalettePng(png: Buffer): Buffer {
  const { width, height, rgb } = readPixels(png);
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3) {
    const key = keyAt(rgb, at);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const colors = [...counts].map(
    ([key, count]): Color => ({ rgb: [key >> 16, (key >> 8) & 255, key & 255], count }),
  );
  const boxes = cutIntoBoxes(colors);
  const palette = boxes.map(meanOf);
  const indexes = new Map(
    boxes.flatMap((box, index) =>
      box.map(({ rgb: [r, g, b] }) => [(r << 16) | (g << 8) | b, index]),
    ),
  );
  // Each row starts with its filter type: none.
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + x + 1] = indexes.get(keyAt(rgb, 3 * (y * width + x))) ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Median cut: repeatedly halves the box with the widest range of relevant colors. */
function cutIntoBoxes(colors: readonly Color[]): readonly (readonly Color[])[] {
  const boxes: (readonly Color[])[] = [colors];
  while (boxes.length < COLORS) {
    const ranked = boxes.map((box, index) => ({ index, ...widest(box) }));
    const best = ranked.reduce((a, b) => (b.weight > a.weight ? b : a));
    if (best.weight === 0) break;
    const { index, channel } = best;
    const sorted = (boxes[index] ?? []).toSorted((a, b) => a.rgb[channel] - b.rgb[channel]);
    const middle = middleOf(sorted, channel);
    boxes.splice(index, 1, sorted.slice(0, middle), sorted.slice(middle));
  }
  return boxes;
}

type Channel = 0 | 1 | 2;

function widest(box: readonly Color[]): { readonly channel: Channel; readonly weight: number } {
  const ranges = ([0, 1, 2] as const).map((channel) => {
    const values = box.map(({ rgb }) => rgb[channel]);
    const low = values.reduce((a, b) => Math.min(a, b), 255);
    const high = values.reduce((a, b) => Math.max(a, b), 0);
    return { channel, range: high - low };
  });
  const { channel, range } = ranges.reduce((a, b) => (b.range > a.range ? b : a));
  const pixels = box.reduce((sum, { count }) => sum + count, 0);
  return { channel, weight: box.length < 2 ? 0 : range ** 2 * Math.sqrt(pixels) };
}

/** Where to split the sorted colors: at the middle of their range. */
function middleOf(sorted: readonly Color[], channel: Channel): number {
  const first = sorted[0]?.rgb[channel] ?? 0;
  const last = sorted.at(-1)?.rgb[channel] ?? 0;
  const at = sorted.findIndex(({ rgb }) => rgb[channel] > (first + last) / 2);
  return Math.max(1, at);
}

/** A color that covers a surface stays unchanged. */
function meanOf(box: readonly Color[]): readonly number[] {
  const pixels = box.reduce((sum, { count }) => sum + count, 0);
  const main = box.reduce((a, b) => (b.count > a.count ? b : a));
  if (main.count > pixels / 2) return main.rgb;
  return ([0, 1, 2] as const).map((channel) =>
    Math.round(box.reduce((sum, { rgb, count }) => sum + count * rgb[channel], 0) / pixels),
  );
}

function keyAt(rgb: Uint8Array, at: number): number {
  return ((rgb[at] ?? 0) << 16) | ((rgb[at + 1] ?? 0) << 8) | (rgb[at + 2] ?? 0);
}

function readPixels(png: Buffer): Pixels {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = CHANNELS_BY_TYPE[png[25] ?? 0];
  if (channels === undefined || png[24] !== 8 || png[28] !== 0) {
    throw new Error("Only plain pictures of 8 bits a channel are read.");
  }
  const packed: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    if (type === "IDAT") packed.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const rows = unfilter(inflateSync(Buffer.concat(packed)), { width, height, channels });
  const rgb = new Uint8Array(3 * width * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    rgb.set(rows.subarray(pixel * channels, pixel * channels + 3), 3 * pixel);
  }
  return { width, height, rgb };
}

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** Undoes the row filters of a PNG: bytes are stored as differences from their neighbors. */
function unfilter(data: Buffer, { width, height, channels }: Layout): Uint8Array {
  const stride = width * channels;
  // The row above the first row and the pixel left of the first pixel count as zeros.
  const padded = stride + channels;
  const out = new Uint8Array(padded * (height + 1));
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = (y + 1) * padded + channels + x;
      const [left, up, corner] = [at - channels, at - padded, at - padded - channels];
      const reported = data[y * (stride + 1) + 1 + x] ?? 0;
      out[at] = reported + expected(filter, out[left] ?? 0, out[up] ?? 0, out[corner] ?? 0);
    }
  }
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const start = (y + 1) * padded + channels;
    rows.set(out.subarray(start, start + stride), y * stride);
  }
  return rows;
}

function expected(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return nearest(left, up, corner);
    default:
      return 0;
  }
}

function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (toLeft === undefined || toUp === undefined || toCorner === undefined) return 0;
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
