/** A prompt of one token, and two sampled tokens. */

import type { TokenWindow } from "../../../../src/shared/dashboardTypes.ts";

export const TOKENS: TokenWindow = {
  stream: 0,
  from: 0,
  total: 3,
  texts: null,
  ids: Int32Array.from([1, 2, 3]),
  samplerLogprobs: Float32Array.from([0, -4, -2]),
  trainerLogprobs: Float32Array.from([Number.NaN, -3, -2]),
  advantages: Float32Array.from([0, -2, 1]),
  turns: Int16Array.from([-1, 0, 0]),
  mask: Uint8Array.from([0, 1, 1]),
  ranges: { logprobLow: -4, advantageSize: 2, differenceSize: 1, trainerLow: -3 },
};
