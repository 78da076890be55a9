/** Counts values in bins. */

export interface Bin {
  /** Both inclusive; equal where every value has a bin of its own. */
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** Values closer than this are the same. */
const DIGITS = 9;

/** A bin for each value when there are at most `maxBins` different ones, else as many equal parts of the range. Ascending. */
export function histogram(values: readonly number[], maxBins = 12): readonly Bin[] {
  const counts = new Map<number, number>();
  for (const value of values) {
    const rounded = Number(value.toPrecision(DIGITS));
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a], [b]) => a - b);
  if (sorted.length <= maxBins) return sorted.map(([low, count]) => ({ low, high: low, count }));
  const first = sorted[0]?.[0] ?? 0;
  const width = ((sorted.at(-1)?.[0] ?? 1) - first) / maxBins;
  return Array.from({ length: maxBins }, (_, index) => {
    const low = first + index * width;
    const isLast = index === maxBins - 1;
    const inside = sorted.filter(
      ([value]) => value >= low && (isLast || value < first + (index + 1) * width),
    );
    const high = isLast ? (sorted.at(-1)?.[0] ?? low) : low + width;
    return { low, high, count: inside.reduce((sum, [, count]) => sum + count, 0) };
  });
}
