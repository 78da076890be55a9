import { expect, it } from "vitest";
import { logOddsScore } from "../../../src/core/changes/logOdds.ts";

const TOTALS = { before: 10_000, after: 10_000 };

it("is 0 for what is as frequent, and changes its sign with the direction", () => {
  expect(logOddsScore({ before: 7, after: 7 }, TOTALS)).toBe(0);
  const more = logOddsScore({ before: 2, after: 30 }, TOTALS);
  expect(logOddsScore({ before: 30, after: 2 }, TOTALS)).toBeCloseTo(-more, 12);
});

it("gives the value of the published formula", () => {
  // The prior is 3.2 of 2000 for the phrase.
  const expected =
    (Math.log(33.2 / 11_966.8) - Math.log(5.2 / 11_994.8)) / Math.sqrt(1 / 33.2 + 1 / 5.2);
  expect(logOddsScore({ before: 2, after: 30 }, TOTALS)).toBeCloseTo(expected, 12);
});

it("trusts a difference between large counts more than the same ratio of small ones", () => {
  const few = logOddsScore({ before: 1, after: 3 }, TOTALS);
  const many = logOddsScore({ before: 100, after: 300 }, TOTALS);
  expect(few).toBeLessThan(2);
  expect(many).toBeGreaterThan(6);
});

it("takes account of how much was said", () => {
  const totals = { before: 10_000, after: 30_000 };
  expect(Math.abs(logOddsScore({ before: 20, after: 60 }, totals))).toBeLessThan(0.01);
});
