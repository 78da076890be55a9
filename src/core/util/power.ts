/** Powers with identical bits in every version of Node, so that a run gives the same results when resumed on another host. */

/** `base ** exponent` for a base of at least 0. V8's rounding of `**` has changed between versions; that of `exp` and `log` has not. */
export function power(base: number, exponent: number): number {
  return Math.exp(exponent * Math.log(base));
}
