/** Where ticks stand on axes, so that their labels neither overlap nor repeat. */

import type { Range } from "../../src/shared/chartScale.ts";
import { ticksIn } from "../../src/shared/chartsSvg.ts";
import type { XAxis } from "./xAxis.ts";

const SECOND_MS = 1_000;
const TIME_STEPS_S = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * 86_400),
];
/** Distances of ticks that are whole numbers. */
export const WHOLE_STEPS: readonly number[] = [1, 2, 5]
  .flatMap((first) => Array.from({ length: 12 }, (_, power) => first * 10 ** power))
  .sort((a, b) => a - b);

/** Distances that ticks of a horizontal axis may have; null = any. */
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

/** True for counts that are shown in a range in which a whole number lies. */
export function hasWholeTicks(columns: readonly Float64Array[], [low, high]: Range): boolean {
  const isCount = (value: number): boolean => !Number.isFinite(value) || Number.isInteger(value);
  return Math.ceil(low) <= Math.floor(high) && columns.every((values) => values.every(isCount));
}

/** Where a logarithmic axis has ticks: at a digit times a power of ten; as other axes in a range with fewer than two of these. */
export function logTicks([low, high]: Range): readonly number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from(
    { length: Math.ceil(Math.log10(high)) - first + 1 },
    (_, at) => first + at,
  );
  const ticks = powers
    .flatMap((power) => DIGITS.map((digit) => Number(`${digit}e${power}`)))
    .filter((tick) => tick >= low && tick <= high);
  return ticks.length < 2 ? ticksIn([low, high]) : ticks;
}

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The ticks of a logarithmic axis that get a label: powers of ten first, and no two closer than `least` pixels. */
export function labelledTicks(
  ticks: readonly number[],
  pixelOf: (tick: number) => number,
  least: number,
): readonly (number | null)[] {
  const taken: number[] = [];
  const labelled = new Set<number>();
  for (const tick of ticks.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const pixel = pixelOf(tick);
    if (!Number.isFinite(pixel) || taken.some((other) => Math.abs(other - pixel) < least)) continue;
    taken.push(pixel);
    labelled.add(tick);
  }
  return ticks.map((tick) => (labelled.has(tick) ? tick : null));
}

/** Lower = more wanted: 1, then 5, then 2, then the others. */
function rankOf(tick: number): number {
  const first = Number(tick.toExponential(6).split("e")[0]);
  return first === 1 ? 0 : first === 5 ? 1 : first === 2 ? 2 : 3;
}
