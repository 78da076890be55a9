import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { smooth, smoothingOf } from "../../../webview-ui/charts/smoothing.ts";
import { firstViewState } from "../../../webview-ui/model/viewState.ts";
import { FIRST_LAYOUT } from "../../../webview-ui/runs/layout.ts";

const GAP = Number.NaN;
const values = fc.array(
  fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constant(GAP)),
);
const smoothings: fc.Arbitrary<ReturnType<typeof smoothingOf>> = fc.oneof(
  fc.constant({ kind: "none" as const }),
  fc.record({
    kind: fc.constant("ema" as const),
    factor: fc.double({ min: 0, max: 0.99, noNaN: true }),
  }),
  fc.record({
    kind: fc.constantFrom("window" as const, "median" as const),
    size: fc.integer({ min: 2, max: 9 }),
  }),
);

describe("smoothing", () => {
  it("leaves gaps exactly where they are", () => {
    fc.assert(
      fc.property(values, smoothings, (series, smoothing) => {
        const result = Array.from(smooth(series, smoothing));
        expect(result.map(Number.isNaN)).toEqual(series.map(Number.isNaN));
      }),
    );
  });

  it("never leaves the range of the values so far, so a start is not drawn toward zero", () => {
    fc.assert(
      fc.property(values, smoothings, (series, smoothing) => {
        const known = series.filter((value) => !Number.isNaN(value));
        const slack = 1e-6 * Math.max(1, ...known.map(Math.abs));
        for (const value of smooth(series, smoothing)) {
          if (Number.isNaN(value)) continue;
          expect(value).toBeGreaterThanOrEqual(Math.min(...known) - slack);
          expect(value).toBeLessThanOrEqual(Math.max(...known) + slack);
        }
      }),
    );
  });

  it("does not treat a gap as zero", () => {
    const ema = { kind: "ema", factor: 0.5 } as const;
    expect(Array.from(smooth([4, GAP, GAP, 4], ema))).toEqual([4, GAP, GAP, 4]);
    expect(Array.from(smooth([4, GAP, 6], { kind: "window", size: 2 }))).toEqual([4, GAP, 5]);
  });

  it("weighs an exponential average as defined", () => {
    const result = smooth([1, 2, 3], { kind: "ema", factor: 0.5 });
    expect(result[1]).toBeCloseTo((0.5 * 1 + 2) / 1.5, 12);
    expect(result[2]).toBeCloseTo((0.25 * 1 + 0.5 * 2 + 3) / 1.75, 12);
  });

  it("is off below 100 steps unless selected, and an exponential average from there on", () => {
    const auto = { kind: "auto", factor: 0.6 } as const;
    const ema = { kind: "ema", factor: 0.6 } as const;
    expect(smoothingOf(auto, 99)).toEqual({ kind: "none" });
    expect(smoothingOf(auto, 100)).toEqual(ema);
    expect(smoothingOf(ema, 3)).toEqual(ema);
    expect(firstViewState(0.6).smoothing).toEqual(auto);
    expect(FIRST_LAYOUT.smoothing).toEqual(auto);
  });

  it("uses the median of a window, so that one spike does not show", () => {
    expect(Array.from(smooth([1, 1, 900, 1, 1], { kind: "median", size: 3 }))).toEqual([
      1, 1, 1, 1, 1,
    ]);
  });
});
