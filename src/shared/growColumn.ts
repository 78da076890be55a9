/** Growable columns of numbers; NaN = no value. */

/** A copy of `column`, padded with NaN to `length`. */
export function growColumn(column: ArrayLike<number>, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(length).fill(Number.NaN);
  grown.set(column);
  return grown;
}
