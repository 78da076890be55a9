import { describe, expect, it } from "vitest";
import { labelledTicks, logTicks, ticksIn } from "../../src/shared/axisTicks.ts";

describe("ticks", () => {
  it("of an axis have one of the allowed distances", () => {
    expect(ticksIn([1, 3])).toEqual([1, 1.5, 2, 2.5, 3]);
    expect(ticksIn([1, 3], [1, 2, 5])).toEqual([1, 2, 3]);
    expect(ticksIn([0, 7_200], [60, 1_800, 3_600])).toEqual([0, 1_800, 3_600, 5_400, 7_200]);
  });

  it("of a logarithmic axis keep their labels apart, powers of ten first", () => {
    const pixelOf = (tick: number): number => 200 - 60 * Math.log10(tick / 0.01);
    const ticks = logTicks([0.00873, 9.5]);
    const labels = labelledTicks(ticks, pixelOf).filter((tick) => tick !== null);
    expect(labels).toEqual(expect.arrayContaining([0.01, 0.1, 1]));
    const pixels = labels.map(pixelOf).sort((a, b) => a - b);
    for (const [index, pixel] of pixels.slice(1).entries()) {
      expect(pixel - (pixels[index] ?? 0)).toBeGreaterThanOrEqual(18);
    }
  });

  it("of a logarithmic axis are round wherever it starts", () => {
    expect(logTicks([24.6, 70])).toEqual([30, 40, 50, 60, 70]);
    expect(logTicks([6_727, 21_000])).toEqual([7_000, 8_000, 9_000, 10_000, 20_000]);
    expect(logTicks([0.1, 1]).at(-1)).toBe(1);
    expect(logTicks([1.1, 1.9]).map((tick) => tick.toFixed(6))).toEqual(
      [1.2, 1.4, 1.6, 1.8].map((tick) => tick.toFixed(6)),
    );
  });
});
