import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawnPositions, pick } from "../../../webview-ui/charts/decimate.ts";

describe("decimating a long series", () => {
  it("draws every point of a short series", () => {
    expect(Array.from(drawnPositions(new Float64Array(5), 100))).toEqual([0, 1, 2, 3, 4]);
  });

  it("keeps the first, the last, and every peak", () => {
    const place = fc.integer({ min: 0, max: 59_999 });
    fc.assert(
      fc.property(place, place, fc.integer({ min: 1, max: 800 }), (peak, valley, buckets) => {
        fc.pre(peak !== valley);
        const values = Float64Array.from({ length: 60_000 }, (_, index) => Math.sin(index / 50));
        values[peak] = 50;
        values[valley] = -50;
        const positions = Array.from(drawnPositions(values, buckets));
        expect(positions).toEqual(expect.arrayContaining([0, peak, valley, 59_999]));
        expect(positions.length).toBeLessThanOrEqual(4 * buckets);
        expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      }),
      { numRuns: 30 },
    );
  });

  it("finds the peak of a part that starts with a gap", () => {
    const values = new Float64Array(30_000);
    values[0] = Number.NaN;
    values[7] = 3;
    expect(Array.from(drawnPositions(values, 10))).toContain(7);
  });

  it("returns gaps and infinities as gaps", () => {
    const positions = Uint32Array.from([0, 1, 2, 3]);
    expect(pick([1, Number.NaN, Number.POSITIVE_INFINITY, 4], positions)).toEqual([
      1,
      null,
      null,
      4,
    ]);
  });
});
