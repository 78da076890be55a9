import { expect, it } from "vitest";
import { isSameSweep } from "../../../src/core/sweeps/sweepFile.ts";

const stages = { configPath: "/a/c.yaml", runName: "c", grid: [], overrides: ["seed=1"] };

it("stages with another budget are the same, but not with another setting", () => {
  const withBudget = { ...stages, overrides: ["max_tokens_total=1000", "seed=1"] };
  const withOther = { ...stages, overrides: ["max_tokens_total=2000", "seed=1"] };
  expect(isSameSweep(stages, withBudget)).toBe(true);
  expect(isSameSweep(withBudget, withOther)).toBe(true);
  expect(isSameSweep(stages, { ...stages, overrides: ["seed=2"] })).toBe(false);
});

it("a grid with another budget is another sweep, because its runs are compared", () => {
  const grid = [{ key: "seed", values: ["1", "2"] }];
  const withBudget = { ...stages, grid, overrides: ["max_hours=1"] };
  expect(isSameSweep(withBudget, { ...withBudget, overrides: ["max_hours=2"] })).toBe(false);
});

it("of several overrides of a key, only the last one counts", () => {
  const twice = { ...stages, overrides: ["seed=2", "seed=1"] };
  expect(isSameSweep(stages, twice)).toBe(true);
  expect(isSameSweep({ ...stages, overrides: ["seed=2"] }, twice)).toBe(false);
});
