import { expect, test } from "vitest";
import {
  endMeans,
  fraction,
  indexOfNonFinite,
  mean,
  percentile,
  summarize,
} from "../../../src/core/util/stats.ts";

test("the summary of an example list is correct", () => {
  expect(summarize([0.2, 0.5, 0.9])).toEqual({
    mean: expect.closeTo(0.5333333, 7),
    min: 0.2,
    max: 0.9,
    std: expect.closeTo(0.3511885, 7),
    count: 3,
  });
});

test("statistics that a list is too short for are null", () => {
  expect(summarize([])).toEqual({ mean: null, min: null, max: null, std: null, count: 0 });
  expect(summarize([2])).toEqual({ mean: 2, min: 2, max: 2, std: null, count: 1 });
  expect(mean([])).toBeNull();
  expect(percentile([], 0.5)).toBeNull();
  expect(fraction(0, 0)).toBeNull();
});

test("the means of both ends share no value, however short the list is", () => {
  expect(endMeans([1, 2, 3, 4, 5, 6, 7, 8], 3)).toEqual({ first: 2, last: 7, count: 3 });
  expect(endMeans([1, 2, 3, 4, 5], 3)).toEqual({ first: 1.5, last: 4.5, count: 2 });
  expect(endMeans([1, 2], 3)).toEqual({ first: 1, last: 2, count: 1 });
  expect(endMeans([7], 3)).toEqual({ first: 7, last: 7, count: 1 });
  expect(endMeans([], 3)).toBeNull();
});

test("the mean of zeros and ones is the fraction of ones, in any order", () => {
  const rewards = Array.from({ length: 24 }, (_, index) => (index % 8 < 3 ? 1 : 0));
  expect(mean(rewards)).toBe(9 / 24);
  expect(mean(rewards.toSorted())).toBe(9 / 24);
});

test("the mean of equal values is that value", () => {
  // Their sum divided by their count is 0.6999999999999998.
  const rewards = Array.from({ length: 6 }, () => 0.7);
  expect(mean(rewards)).toBe(0.7);
});

test("the variance of values far from zero stays accurate", () => {
  expect(summarize([1e9, 1e9 + 1, 1e9 + 2]).std).toBeCloseTo(1, 9);
});

test("percentiles are between the nearest ranks, whatever the order", () => {
  expect(percentile([40, 10, 30, 20], 0.5)).toBe(25);
  expect(percentile([40, 10, 30, 20], 1)).toBe(40);
  expect(percentile([40, 10, 30, 20], 0)).toBe(10);
});

test("the first non-finite number is found", () => {
  expect(indexOfNonFinite([1, 2, Number.NaN, Number.POSITIVE_INFINITY])).toBe(2);
  expect(indexOfNonFinite(Float32Array.of(0, -1))).toBe(-1);
});
