import { expect, test } from "vitest";
import {
  columnFormat,
  formatBounds,
  formatBytes,
  formatChange,
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatKey,
  formatMeasure,
  formatPercent,
  formatQuantity,
  formatReward,
  formatShare,
  formatSigned,
  sparkline,
} from "../../src/shared/format.ts";

test("whole numbers are grouped by three digits", () => {
  expect([0, 812, 4812, 1234567].map(formatCount)).toEqual(["0", "812", "4,812", "1,234,567"]);
});

test("a number is rounded the same way alone and as a percentage", () => {
  expect([formatReward(0.575), formatPercent(0.575), formatShare(0.575)]).toEqual([
    "0.58",
    "58%",
    "58%",
  ]);
});

test("a difference carries its sign, and zero is never negative", () => {
  expect([0.5, -0.25, -0.001, null].map((value) => formatSigned(value))).toEqual([
    "+0.50",
    "-0.25",
    "+0.00",
    "–",
  ]);
  expect([-1e-17, 0].map(formatReward)).toEqual(["0.00", "0.00"]);
});

test("equal rewards are formatted alike, despite rounding of their sums", () => {
  const rewards = [0.375, 0.37499999999999994, 0.175, 0.17500000000000002, 0.3749];
  expect(rewards.map(formatReward)).toEqual(["0.38", "0.38", "0.18", "0.18", "0.37"]);
  expect([0.175, -0.175].map((value) => formatSigned(value))).toEqual(["+0.18", "-0.18"]);
});

test("a reward has two decimals, and three digits if it is very small or large", () => {
  expect([2e-5, -0.0012, 0.005, 999.99, 1234.5, 5_753_086_340.72, -1e18].map(formatReward)).toEqual(
    [...["2.00e-5", "-0.00120", "0.01", "999.99", "1,234.50", "5.75G", "-1.00e+18"]],
  );
  expect([1_500, -1_500].map((value) => formatSigned(value, 0))).toEqual(["+1,500", "-1,500"]);
  expect(formatSigned(0.123456, 6)).toBe("+0.123456");
});

test("a measurement has three significant digits whatever its size", () => {
  expect([-12.34, 0.00412, 999.7, 18240, 1.2e-7, 0, null].map(formatMeasure)).toEqual([
    "-12.3",
    "0.00412",
    "1,000",
    "18,240",
    "1.20e-7",
    "0",
    "–",
  ]);
  expect(formatExact(0.1 + 0.2)).toBe("0.3");
  expect([184_162, -36_799, 1_234_567, 1234.5, -0.5].map(formatExact)).toEqual([
    ...["184,162", "-36,799", "1,234,567", "1,234.5", "-0.5"],
  ]);
});

test("a change includes its interval, if there is one", () => {
  expect(formatChange({ mean: 0.31, low: -0.02, high: 0.6 })).toBe("+0.31 [-0.02, +0.60]");
  expect(formatChange({ mean: 0, low: null, high: null })).toBe("+0.00");
});

test("the numbers of a column have the same decimals, about four digits of the largest", () => {
  const written = (values: readonly (number | null)[]) => values.map(columnFormat(values));
  expect(written([0.726563, 0.1875, 0, null])).toEqual(["0.7266", "0.1875", "0.0000", "–"]);
  expect(written([1, 12, 1200])).toEqual(["1", "12", "1,200"]);
  expect(written([1234.5, 0.5])).toEqual(["1,235", "1"]);
  expect(written([2e-5, 5e-6])).toEqual(["2.00e-5", "5.00e-6"]);
});

test("both bounds of an interval are formatted alike", () => {
  expect(formatBounds({ low: 0.001, high: 0.21 })).toBe("[0.00, 0.21]");
  expect(formatBounds({ low: 1e-4, high: 0.002 })).toBe("[0.000100, 0.00200]");
});

test("a price has cents or three digits, and no decimals from a thousand on", () => {
  expect([0, 0.001234, 0.09, 4.561, 999.99, 999.996, 1234].map(formatCost)).toEqual([
    ...["$0.00", "$0.00123", "$0.09", "$4.56", "$999.99", "$1,000", "$1,234"],
  ]);
});

test("a share is never rounded to 0% or 100%", () => {
  expect([0, 0.0004, 0.004, 0.37, 0.995, 0.9997, 1].map(formatShare)).toEqual([
    ...["0%", "under 0.1%", "0.4%", "37%", "99.5%", "99.9%", "100%"],
  ]);
});

test("a size is shown in bytes or with up to three digits, in units of 1024", () => {
  const sizes = [0, 1000, 3.4 * 1024, 999.4 * 1024, 1010 * 1024, 1.2 * 1024 ** 3];
  expect(sizes.map((size) => formatBytes(Math.round(size)))).toEqual([
    ...["0 B", "1000 B", "3.4 KiB", "999 KiB", "0.99 MiB", "1.2 GiB"],
  ]);
});

test("a negative duration has the units of a positive one", () => {
  expect([-600, -0.84, -0.01].map(formatDuration)).toEqual(["-10 min 00 s", "-0.8 s", "0.0 s"]);
});

test("a key has quotes only around a part that contains dots", () => {
  expect(formatKey(["environments", "local/calculator", "max_turns"])).toBe(
    "environments.local/calculator.max_turns",
  );
  expect(formatKey(["environments", "Owner/Game.v2", "max_turns"])).toBe(
    'environments."Owner/Game.v2".max_turns',
  );
});

test("a duration uses the two largest units, and never 60 of one", () => {
  expect([0.84, 9.97, 35.2, 59.7, 125, 4320, 7199, 172_799, 615_600].map(formatDuration)).toEqual([
    "0.8 s",
    "10 s",
    "35 s",
    "1 min 00 s",
    "2 min 05 s",
    "1 h 12 min",
    "2 h 00 min",
    "2 d 0 h",
    "7 d 3 h",
  ]);
});

test("a quantity agrees with its number", () => {
  expect(formatQuantity(1, "step")).toBe("1 step");
  expect(formatQuantity(2, "retry", "retries")).toBe("2 retries");
});

test("a sparkline keeps its width for every value", () => {
  expect(sparkline([0, 0.5, 1, null, 7], { low: 0, high: 1 })).toBe("▁▅█ █");
});
