/**
 * Images of Qwen3.5 and later: one token per 32-pixel square after a resize, between two marker tokens.
 * Source: the chat template of Qwen/Qwen3.5-9B, and `smart_resize` of `Qwen2VLImageProcessor` in transformers with the
 * model's
 * `preprocessor_config.json` (patches of 16 pixels, merged 2 x 2, 65,536 to 16,777,216 pixels).
 */

import type { ImageSize } from "../../images/imageFile.ts";
import type { ImageLayout } from "../format.ts";
import { control } from "../pieces.ts";

const SQUARE = 32;
const MIN_PIXELS = 65_536;
const MAX_PIXELS = 16_777_216;
/** The processor refuses images with a larger aspect ratio. */
const MAX_RATIO = 200;

const START = control("<|vision_start|>");
const END = control("<|vision_end|>");

export const QWEN_IMAGES: ImageLayout = {
  wrap: (image) => [START, image, END],
  countTokens: ({ width, height }) => {
    if (Math.max(width, height) / Math.min(width, height) > MAX_RATIO) return null;
    const [columns, rows] = squaresOf({ width, height });
    return columns * rows;
  },
};

/** The grid of squares, with both sides scaled equally so that the pixel count is in range. */
function squaresOf({ width, height }: ImageSize): readonly [columns: number, rows: number] {
  const columns = roundHalfEven(width / SQUARE);
  const rows = roundHalfEven(height / SQUARE);
  const pixels = columns * rows * SQUARE ** 2;
  if (pixels > MAX_PIXELS) {
    const shrink = Math.sqrt((height * width) / MAX_PIXELS);
    const shrunk = (side: number): number => Math.max(1, Math.floor(side / shrink / SQUARE));
    return [shrunk(width), shrunk(height)];
  }
  if (pixels < MIN_PIXELS) {
    const grow = Math.sqrt(MIN_PIXELS / (height * width));
    const grown = (side: number): number => Math.ceil((side * grow) / SQUARE);
    return [grown(width), grown(height)];
  }
  return [columns, rows];
}

/** Rounds as Python does. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
