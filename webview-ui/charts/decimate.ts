/** Thins out long series for drawing without losing a peak. */

/** Above this many points a chart is thinned out. */
const MAX_POINTS = 20_000;

/**
 * Ascending positions to draw: all up to 20,000 points, above that the first, the last, the lowest and the highest of each of
 * `buckets` equal parts. Gaps stay visible where a whole part is one.
 */
export function drawnPositions(values: ArrayLike<number>, buckets: number): Uint32Array {
  const count = values.length;
  if (count <= MAX_POINTS || count <= 4 * buckets) {
    return Uint32Array.from({ length: count }, (_, index) => index);
  }
  const positions = new Set<number>();
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const start = Math.floor((bucket * count) / buckets);
    const end = Math.floor(((bucket + 1) * count) / buckets);
    const { lowest, highest } = extremes(values, start, end);
    for (const position of [start, lowest, highest, end - 1]) positions.add(position);
  }
  return Uint32Array.from(positions).sort();
}

function extremes(values: ArrayLike<number>, start: number, end: number) {
  let lowest = start;
  let highest = start;
  for (let position = start; position < end; position += 1) {
    const value = values[position] ?? Number.NaN;
    // A comparison with NaN is false: a gap at the start gives way to the first known value.
    if (!(value >= (values[lowest] ?? Number.NaN)))
      lowest = Number.isNaN(value) ? lowest : position;
    if (!(value <= (values[highest] ?? Number.NaN)))
      highest = Number.isNaN(value) ? highest : position;
  }
  return { lowest, highest };
}

/** The values at `positions`, as uPlot wants them: null for a gap. */
export function pick(values: ArrayLike<number>, positions: Uint32Array): (number | null)[] {
  return Array.from(positions, (position) => {
    const value = values[position] ?? Number.NaN;
    return Number.isFinite(value) ? value : null;
  });
}
