import { expect, it } from "vitest";
import { KIMI_IMAGES } from "../../../../src/core/chat/families/kimiImages.ts";
import { QWEN_IMAGES } from "../../../../src/core/chat/families/qwenImages.ts";

it.each([
  [224, 224, 64],
  [150, 224, 70],
  [224, 150, 70],
  [400, 300, 108],
  [8192, 8192, 16_384],
])("for Qwen, %d x %d pixels take %d tokens", (width, height, tokens) => {
  expect(QWEN_IMAGES.countTokens({ width, height })).toBe(tokens);
});

/** Computed with the Python functions that the source files of the families cite. */
it.each([
  [551, 2347, 1241, 1680],
  [259, 1060, 264, 380],
  [1842, 1950, 3538, 4221],
  [860, 400, 324, 465],
  [1999, 132, 248, 360],
  [2489, 24, 78, 89],
  [2851, 1840, 5162, 4160],
  [300, 200, 70, 88],
])("%d x %d pixels take %d tokens for Qwen and %d for Kimi", (width, height, qwen, kimi) => {
  expect(QWEN_IMAGES.countTokens({ width, height })).toBe(qwen);
  expect(KIMI_IMAGES.countTokens({ width, height })).toBe(kimi);
});

it.each([
  [1, 1, 1],
  [4096, 4096, 4225],
  [16_384, 14, 256],
])("for Kimi, %d x %d pixels take %d tokens", (width, height, tokens) => {
  expect(KIMI_IMAGES.countTokens({ width, height })).toBe(tokens);
});
