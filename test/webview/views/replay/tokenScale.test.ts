import { describe, expect, it } from "vitest";
import { tokenScale, widestRanges } from "../../../../webview-ui/views/replay/tokenScale.ts";
import { TOKENS } from "./tokenWindows.ts";

describe("the color of a token", () => {
  it("is stronger the less likely the token was", () => {
    const { level } = tokenScale("logprob", TOKENS);
    expect([level(0), level(1), level(2)]).toEqual([0, 4, 2]);
  });

  it("of an example is stronger the less the trainer expected it", () => {
    const { level, value } = tokenScale("loss", TOKENS);
    expect([level(0), level(1), level(2)]).toEqual([null, 4, 3]);
    expect(value(1)).toBe(3);
  });

  it("has two directions for signed values", () => {
    const { level, isDiverging } = tokenScale("advantage", TOKENS);
    expect([isDiverging, level(1), level(2)]).toEqual([true, -4, 2]);
  });

  it("has the same scale in two rollouts side by side", () => {
    const calm = { logprobLow: -0.04, advantageSize: 2.5, differenceSize: 0, trainerLow: -0.05 };
    const ranges = widestRanges([calm, TOKENS.ranges]);
    expect(ranges).toEqual({
      logprobLow: -4,
      advantageSize: 2.5,
      differenceSize: 1,
      trainerLow: -3,
    });
    expect(tokenScale("logprob", { ...TOKENS, ranges }).ticks).toEqual(
      tokenScale("logprob", TOKENS).ticks,
    );
  });

  it("is absent if the value is unknown", () => {
    expect(tokenScale("difference", TOKENS).level(0)).toBeNull();
    expect(tokenScale("ratio", TOKENS).value(1)).toBeCloseTo(Math.E, 6);
  });
});
