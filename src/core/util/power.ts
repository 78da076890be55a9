/** Powers with the same bits under every version of Node, so that a run which one host began and another resumes stays the same. */

/** `base ** exponent` for a base of at least 0. V8 has changed how `**` rounds; `exp` and `log` it has not. */
export function power(base: number, exponent: number): number {
  return Math.exp(exponent * Math.log(base));
}
