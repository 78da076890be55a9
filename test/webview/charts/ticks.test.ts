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
