/** How far a number may be from the right one. */

export interface Tolerance {
  /** Share of the right number. */
  readonly relative: number;
  readonly absolute: number;
}

/** |given - expected| <= max(relative * |expected|, absolute), as Python's `math.isclose` has it for one side. */
export function isClose(given: number, expected: number, { relative, absolute }: Tolerance) {
  return Math.abs(given - expected) <= Math.max(relative * Math.abs(expected), absolute);
}
