/** Allowed difference between a number and the correct one. */

export interface Tolerance {
  /** Share of the correct number. */
  readonly relative: number;
  readonly absolute: number;
}

/** |given - expected| <= max(relative * |expected|, absolute): like Python's `math.isclose`, but relative to one side. */
export function isClose(given: number, expected: number, { relative, absolute }: Tolerance) {
  return Math.abs(given - expected) <= Math.max(relative * Math.abs(expected), absolute);
}
