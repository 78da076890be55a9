import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countNotPositive, loneRows, quantile, valueRange } from "../../src/shared/chartScale.ts";

const PLAIN = { isLog: false, isClipped: false, isFromZero: false };

describe("the range of a chart", () => {
  it("includes all values, whatever they are", () => {
    const value = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.array(value)), fc.boolean(), (series, isFromZero) => {
        const [low, high] = valueRange(series, { ...PLAIN, isFromZero });
        expect(high).toBeGreaterThan(low);
        for (const own of series.flat()) {
          expect(own).toBeGreaterThanOrEqual(low);
          expect(own).toBeLessThanOrEqual(high);
        }
      }),
    );
  });

  it("includes zero on request", () => {
    expect(valueRange([[5, 6]], { ...PLAIN, isFromZero: true })[0]).toBe(0);
    expect(valueRange([[-6, -5]], { ...PLAIN, isFromZero: true })[1]).toBe(0);
  });

  it("leaves out a single spike when clipping", () => {
    const values = Array.from({ length: 1000 }, (_, index) => index / 1000);
    const [, high] = valueRange([[...values, 1e6]], { ...PLAIN, isClipped: true });
    expect(high).toBeLessThan(2);
  });

  it("is positive for a logarithmic chart, and counts values that it cannot show", () => {
    const values = [-1, 0, 0.01, 10, Number.NaN];
    const [low, high] = valueRange([values], { ...PLAIN, isLog: true });
    expect(low).toBeGreaterThan(0);
    expect([low < 0.01, high > 10]).toEqual([true, true]);
    expect(countNotPositive(values)).toBe(2);
  });

  it("does not magnify a rounding error", () => {
    const [low, high] = valueRange([[10, 10 + 2e-15]], PLAIN);
    expect(high - low).toBeGreaterThan(1);
  });

  it("exists without any value", () => {
    expect(valueRange([[Number.NaN]], PLAIN)).toEqual([0, 1]);
  });
});

describe("quantiles", () => {
  it("lie between their neighbors", () => {
    expect(quantile([0, 10], 0.25)).toBe(2.5);
    expect(quantile([3], 0.9)).toBe(3);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

const FROM_VALUES = { isLog: false, isClipped: false, isFromZero: false };

it("values that are all zero, like excluded groups in most runs, have a nonempty range", () => {
  for (const options of [
    FROM_VALUES,
    { ...FROM_VALUES, isClipped: true },
    { ...FROM_VALUES, isFromZero: true },
  ]) {
    expect(valueRange([[0, 0, 0]], options)).toEqual([0, 1]);
  }
});

it("values that fall to zero, or rise from zero, still end on the axis", () => {
  expect(valueRange([[-1, 0]], FROM_VALUES)[1]).toBe(0);
  expect(valueRange([[0, 1]], FROM_VALUES)[0]).toBe(0);
});

it("a value between two gaps, or alone at an end, is isolated", () => {
  const gap = Number.NaN;
  expect(loneRows([1, gap, 2, 3, gap, 4, gap])).toEqual([0, 5]);
  expect(loneRows([null, 5, undefined])).toEqual([1]);
  expect(loneRows([1, 2])).toEqual([]);
});
