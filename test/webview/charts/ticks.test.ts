import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTick } from "../../../src/shared/formatTick.ts";
import { formatXTick } from "../../../webview-ui/charts/format.ts";
import { labelledTicks, tickSteps } from "../../../webview-ui/charts/ticks.ts";

describe("ticks", () => {
  it("of a logarithmic axis keep their labels apart, powers of ten first", () => {
    const ticks = [0.01, 0.1, 1].flatMap((power) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((first) => first * power),
    );
    const pixelOf = (tick: number): number => 200 - 60 * Math.log10(tick / 0.01);
    const end = 0.00873;
    const labels = labelledTicks([end, ...ticks], pixelOf, 18).filter((tick) => tick !== null);
    expect(labels).not.toContain(end);
    expect(labels).toEqual(expect.arrayContaining([0.01, 0.1, 1]));
    const pixels = labels.map(pixelOf).sort((a, b) => a - b);
    for (const [index, pixel] of pixels.slice(1).entries()) {
      expect(pixel - (pixels[index] ?? 0)).toBeGreaterThanOrEqual(18);
    }
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
