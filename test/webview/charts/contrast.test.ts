import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrast, MIN_CONTRAST, readableOn } from "../../../webview-ui/charts/contrast.ts";
import { environmentLook } from "../../../webview-ui/views/charts/environmentSeries.ts";
import { SMALL_CHARTS } from "../../../webview-ui/views/charts/smallChartSpecs.ts";

describe("colors of lines", () => {
  it("have a contrast of 3 in any theme, and are unchanged if they have it already", () => {
    const part = fc.integer({ min: 0, max: 255 });
    const anyColor = fc.tuple(part, part, part, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(anyColor, fc.tuple(part, part, part, fc.constant(1)), (color, back) => {
        expect(contrast(readableOn(color, back), back)).toBeGreaterThanOrEqual(MIN_CONTRAST);
      }),
    );
    expect(readableOn([55, 148, 255, 1], [31, 31, 31, 1])).toEqual([55, 148, 255, 1]);
  });

  it("are never the only difference between two lines of a chart", () => {
    const environments = Array.from({ length: 8 }, (_, index) => environmentLook(index));
    expect(new Set(environments.map(({ dash }) => dash.join())).size).toBe(8);
    const many = Array.from({ length: 40 }, (_, index) => JSON.stringify(environmentLook(index)));
    expect(new Set(many).size).toBe(40);
    for (const { title, series } of SMALL_CHARTS) {
      const dashes = series.map(({ dash }) => dash?.join() ?? "");
      expect([title, new Set(dashes).size]).toEqual([title, series.length]);
    }
  });
});
