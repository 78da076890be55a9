import fc from "fast-check";
import { expect, it } from "vitest";
import { spread } from "../../../../webview-ui/charts/drawing/endLabels.ts";

it("labels stay where their curves end if there is room", () => {
  expect(spread([20, 80, 50], 100, 10)).toEqual([20, 80, 50]);
  expect(spread([50, 52], 100, 10)).toEqual([50, 60]);
  expect(spread([100, 99], 100, 10)).toEqual([95, 85]);
});

it("labels never overlap or leave the chart, and keep the order of their curves", () => {
  const ends = fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(ends, (wanted) => {
      const places = spread(wanted, 200, 10);
      const inOrder = wanted
        .map((end, index) => ({ end, place: places[index] ?? Number.NaN }))
        .toSorted((a, b) => a.end - b.end)
        .map(({ place }) => place);
      for (const [index, place] of inOrder.entries()) {
        expect(place).toBeGreaterThanOrEqual(5 - 1e-9);
        expect(place).toBeLessThanOrEqual(195 + 1e-9);
        if (index > 0) expect(place - (inOrder[index - 1] ?? 0)).toBeGreaterThanOrEqual(10 - 1e-9);
      }
    }),
  );
});
