/** Allowed distances between axis ticks, chosen so that labels do not repeat. */

import type { Range } from "../../src/shared/chartScale.ts";
import type { XAxis } from "./xAxis.ts";

const SECOND_MS = 1_000;
const TIME_STEPS_S = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * 86_400),
];
/** Tick distances that are whole numbers. */
export const WHOLE_STEPS: readonly number[] = [1, 2, 5]
  .flatMap((first) => Array.from({ length: 12 }, (_, power) => first * 10 ** power))
  .sort((a, b) => a - b);

/** Allowed tick distances of a horizontal axis; null = any. */
export function tickSteps(axis: XAxis): readonly number[] | null {
  switch (axis) {
    case "step":
      return WHOLE_STEPS;
    case "active":
      return TIME_STEPS_S;
    case "wall":
      return TIME_STEPS_S.filter((seconds) => seconds >= 1).map((seconds) => seconds * SECOND_MS);
    case "tokens":
    case "cost":
      return null;
  }
}

/** True if all values are whole numbers and the shown range contains one. */
export function hasWholeTicks(columns: readonly Float64Array[], [low, high]: Range): boolean {
  const isCount = (value: number): boolean => !Number.isFinite(value) || Number.isInteger(value);
  return Math.ceil(low) <= Math.floor(high) && columns.every((values) => values.every(isCount));
}
