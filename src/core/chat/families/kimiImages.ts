/**
 * Images of Kimi K2.5 and K2.6: wrapped in marker tokens, one token per 28-pixel square, partial squares included.
 * Source: the chat template of moonshotai/Kimi-K2.5, and `navit_resize_image` of its `media_utils.py` with the model's
 * `preprocessor_config.json` (patches of 14 pixels, merged 2 x 2, at most 16,384 patches and 512 per side).
 */

import type { ImageLayout } from "../format.ts";
import { control } from "../pieces.ts";

const PATCH = 14;
const SQUARE = 2 * PATCH;
const MAX_PATCHES = 16_384;
const MAX_SIDE = 512 * PATCH;

const BEGIN = control("<|media_begin|>");
const CONTENT = control("<|media_content|>");
const END = control("<|media_end|>");

export const KIMI_IMAGES: ImageLayout = {
  wrap: (image) => [BEGIN, "image", CONTENT, image, END, "\n"],
  countTokens: ({ width, height }) => {
    const patches = (side: number): number => Math.max(1, Math.floor(side / PATCH));
    const scale = Math.min(
      1,
      Math.sqrt(MAX_PATCHES / (patches(width) * patches(height))),
      MAX_SIDE / width,
      MAX_SIDE / height,
    );
    const squares = (side: number): number =>
      Math.ceil(Math.min(MAX_SIDE, Math.max(1, Math.trunc(side * scale))) / SQUARE);
    return squares(width) * squares(height);
  },
};
