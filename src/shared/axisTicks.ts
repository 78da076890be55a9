/** Where axes have ticks, and which of these get a label: the same on pages and in drawings. */

import type { Range } from "./chartScale.ts";

const TICKS = 5;
const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Between the middles of two labels of the vertical axis. */
const LABEL_PX = 18;

/** Round values in the range, at about five equal distances, of `steps` where they are given. */
export function ticksIn([low, high]: Range, steps?: readonly number[] | null): readonly number[] {
  const rough = (high - low) / TICKS;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = steps ?? [1, 2, 5, 10].map((first) => first * power);
  const step = round.find((own) => own >= rough) ?? rough;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step);
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

/** The ticks of a logarithmic axis that get a label: powers of ten first, and no two so close that they touch. */
export function labelledTicks(
  ticks: readonly number[],
  pixelOf: (tick: number) => number,
): readonly (number | null)[] {
  const taken: number[] = [];
  const labelled = new Set<number>();
  for (const tick of ticks.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const pixel = pixelOf(tick);
    if (!Number.isFinite(pixel) || taken.some((other) => Math.abs(other - pixel) < LABEL_PX))
      continue;
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
