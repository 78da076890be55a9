/** Short labels of axes. */

const UNITS = [
  [1e12, "T", 1e12],
  [1e9, "G", 1e9],
  [1e6, "M", 1e6],
  [1e3, "k", 1e4],
] as const;
const SMALL_STEP = 1e-4;

/** A short label for a tick. `step` is the distance between ticks; when given, no two labels are the same. */
export function formatTick(value: number, step = 0): string {
  const size = Math.abs(value);
  if (size === 0 || (step > 0 && size < step / 2)) return "0";
  const [unit, suffix] = UNITS.find(([, , from]) => size >= from) ?? [1, ""];
  // All ticks of an axis use the same notation.
  if (step > 0 ? step < SMALL_STEP && size < 0.01 : size < 1e-3) {
    const digits = step > 0 ? digitsOf(step / 10 ** exponent(size)) : 0;
    return value.toExponential(digits).replace(/\.?0+e/, "e");
  }
  if (step > 0) return `${Number((value / unit).toFixed(digitsOf(step / unit)))}${suffix}`;
  return suffix === ""
    ? String(Number(value.toPrecision(4)))
    : `${Number((value / unit).toFixed(1))}${suffix}`;
}

/** Number of decimals needed to distinguish multiples of `step`. */
export function digitsOf(step: number): number {
  if (step <= 0) return 1;
  const digits = Math.max(0, -exponent(step));
  // For example 0.25, whose multiples need one more digit than those of 0.2.
  const isCut = Math.abs(Number(step.toFixed(digits)) - step) > step / 100;
  return Math.min(20, digits + (isCut ? 1 : 0));
}

function exponent(value: number): number {
  return Math.floor(Math.log10(value) + 1e-9);
}
