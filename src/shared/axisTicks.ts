/** Tick positions for axes, and which ticks get a label; shared by the pages and the SVG export. */

import type { Range } from "./chartScale.ts";

const TICKS = 5;
const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Minimum distance between two labels. */
const LABEL_PX = 18;

/** Round tick values in the range, about five of them. `steps` restricts the possible distances. */
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

/** Ticks of a logarithmic axis: each digit times a power of ten. Falls back to linear ticks when the range has fewer than two. */
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

/** Chooses which ticks of a logarithmic axis get a label: powers of ten first, and none so close that they overlap. */
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

/** Lower = labeled first: 1, then 5, then 2, then the rest. */
function rankOf(tick: number): number {
  const first = Number(tick.toExponential(6).split("e")[0]);
  return first === 1 ? 0 : first === 5 ? 1 : first === 2 ? 2 : 3;
}
