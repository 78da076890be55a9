/** How far a 95 % interval reaches, for few values as for many. */

/** Quantile of Student's t at 0.975 for 1 to 10 degrees of freedom, as tables give it. */
const FEW = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
/** The same quantile of the normal distribution. */
const NORMAL = 1.959964;

/** Student's t at 0.975; beyond the table by the expansion in 1 / degrees (Abramowitz and Stegun 26.7.5), exact to 0.003. */
export function t975(degrees: number): number {
  const known = FEW[degrees - 1];
  if (known !== undefined) return known;
  const z = NORMAL;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  return z + first / degrees + second / degrees ** 2;
}
