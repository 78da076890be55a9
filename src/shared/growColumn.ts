/** Columns of numbers that grow; NaN = no value. */

/** A column of `length` numbers that begins with those of `column`. */
export function growColumn(column: ArrayLike<number>, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(length).fill(Number.NaN);
  grown.set(column);
  return grown;
}
