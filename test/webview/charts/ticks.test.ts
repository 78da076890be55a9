import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTick } from "../../../src/shared/formatTick.ts";
import { formatXTick } from "../../../webview-ui/charts/format.ts";
import { labelledTicks, logTicks, tickSteps } from "../../../webview-ui/charts/ticks.ts";

describe("ticks", () => {
  it("of a logarithmic axis keep their labels apart, powers of ten first", () => {
    const pixelOf = (tick: number): number => 200 - 60 * Math.log10(tick / 0.01);
    const ticks = logTicks([0.00873, 9.5]);
    const labels = labelledTicks(ticks, pixelOf, 18).filter((tick) => tick !== null);
    expect(labels).toEqual(expect.arrayContaining([0.01, 0.1, 1]));
    const pixels = labels.map(pixelOf).sort((a, b) => a - b);
    for (const [index, pixel] of pixels.slice(1).entries()) {
      expect(pixel - (pixels[index] ?? 0)).toBeGreaterThanOrEqual(18);
    }
  });

  it("of a logarithmic axis are round wherever it begins", () => {
    expect(logTicks([24.6, 70])).toEqual([30, 40, 50, 60, 70]);
    expect(logTicks([6_727, 21_000])).toEqual([7_000, 8_000, 9_000, 10_000, 20_000]);
    expect(logTicks([0.1, 1]).at(-1)).toBe(1);
    expect(logTicks([1.1, 1.9]).map((tick) => tick.toFixed(6))).toEqual(
      [1.2, 1.4, 1.6, 1.8].map((tick) => tick.toFixed(6)),
    );
  });

  it.each(["wall", "active"] as const)("of %s do not repeat", (axis) => {
    const start = axis === "wall" ? Date.UTC(2026, 1, 3, 21, 0, 0) : 0;
    for (const step of tickSteps(axis) ?? []) {
      const labels = Array.from({ length: 12 }, (_, index) =>
        formatXTick(axis, start + index * step, step),
      );
      expect([step, new Set(labels).size]).toEqual([step, labels.length]);
    }
  });

  it("of values do not repeat", () => {
    const steps = fc
      .constantFrom(1, 2, 2.5, 5)
      .chain((first) => fc.integer({ min: -12, max: 12 }).map((power) => first * 10 ** power));
    fc.assert(
      fc.property(steps, fc.integer({ min: -400, max: 400 }), (step, from) => {
        const labels = Array.from({ length: 8 }, (_, index) =>
          formatTick((from + index) * step, step),
        );
        expect([labels, new Set(labels).size]).toEqual([labels, labels.length]);
      }),
    );
  });
});
