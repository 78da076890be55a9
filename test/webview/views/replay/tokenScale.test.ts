import { describe, expect, it } from "vitest";
import type { TokenWindow } from "../../../../src/shared/dashboardTypes.ts";
import { tokenScale } from "../../../../webview-ui/views/replay/tokenScale.ts";

const window: TokenWindow = {
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

describe("the color of a token", () => {
  it("is the stronger the less likely the token was", () => {
    const { level } = tokenScale("logprob", window);
    expect([level(0), level(1), level(2)]).toEqual([0, 4, 2]);
  });

  it("of an example is the stronger the less the trainer expected it", () => {
    const { level, value } = tokenScale("loss", window);
    expect([level(0), level(1), level(2)]).toEqual([null, 4, 3]);
    expect(value(1)).toBe(3);
  });

  it("has two directions for what has a sign", () => {
    const { level, isDiverging } = tokenScale("advantage", window);
    expect([isDiverging, level(1), level(2)]).toEqual([true, -4, 2]);
  });

  it("is none where the value is not known", () => {
    expect(tokenScale("difference", window).level(0)).toBeNull();
    expect(tokenScale("ratio", window).value(1)).toBeCloseTo(Math.E, 6);
  });
});
