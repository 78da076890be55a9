import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTick } from "../../../src/shared/formatTick.ts";
import { formatXTick } from "../../../webview-ui/charts/format.ts";
import { tickSteps } from "../../../webview-ui/charts/ticks.ts";

describe("ticks", () => {
  it.each(["wall", "active"] as const)("of %s do not repeat", (axis) => {
    const start = axis === "wall" ? Date.UTC(2026, 1, 3, 21, 0, 0) : 0;
    for (const step of tickSteps(axis) ?? []) {
      const labels = Array.from({ length: 12 }, (_, index) =>
        formatXTick(axis, start + index * step, step),
      );
      expect([step, new Set(labels).size]).toEqual([step, labels.length]);
    }
  });

  it("of small and large values have the same format along the axis", () => {
    const labels = (step: number) => [1, 2, 3, 4].map((count) => formatTick(count * step, step));
    expect(labels(5e-6)).toEqual(["5e-6", "1e-5", "1.5e-5", "2e-5"]);
    expect(labels(5e-4)).toEqual(["0.0005", "0.001", "0.0015", "0.002"]);
    expect(labels(2e9)).toEqual(["2G", "4G", "6G", "8G"]);
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
