import { expect, it } from "vitest";
import { valueRange } from "../../webview-ui/charts/scale.ts";

const FROM_VALUES = { isLog: false, isClipped: false, isFromZero: false };

it("values that are all zero, as excluded groups are in most runs, have a range to be drawn in", () => {
  for (const options of [
    FROM_VALUES,
    { ...FROM_VALUES, isClipped: true },
    { ...FROM_VALUES, isFromZero: true },
  ]) {
    expect(valueRange([[0, 0, 0]], options)).toEqual([0, 1]);
  }
});

it("values that fall to zero, or rise from there, still end on the axis", () => {
  expect(valueRange([[-1, 0]], FROM_VALUES)[1]).toBe(0);
  expect(valueRange([[0, 1]], FROM_VALUES)[0]).toBe(0);
});
