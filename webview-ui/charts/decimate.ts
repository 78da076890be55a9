/** Downsamples long series for drawing and keeps their peaks. */

/** Series up to this length are drawn in full. */
const MAX_POINTS = 20_000;

/**
 * Ascending indices to draw: all of them up to 20,000 points; beyond that the first, the last, and the minimum and maximum of each of
 * `buckets` equal parts. A gap stays visible if it spans a whole part.
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
    // Comparisons with NaN are false, so the first known value replaces a gap at the start.
    if (!(value >= (values[lowest] ?? Number.NaN)))
      lowest = Number.isNaN(value) ? lowest : position;
    if (!(value <= (values[highest] ?? Number.NaN)))
      highest = Number.isNaN(value) ? highest : position;
  }
  return { lowest, highest };
}

/** The values at `positions` in uPlot's form: null for a gap. */
export function pick(values: ArrayLike<number>, positions: Uint32Array): (number | null)[] {
  return Array.from(positions, (position) => {
    const value = values[position] ?? Number.NaN;
    return Number.isFinite(value) ? value : null;
  });
}
