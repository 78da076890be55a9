// Small vector functions shared by kernels.

/** a * b + c, rounded twice: fused instructions would give different bits on different processors. */
// @ts-ignore: decorator
@inline
export function mulAdd(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(c, f32x4.mul(a, b));
}

/** Sum of four lanes. */
// @ts-ignore: decorator
@inline
export function laneSum(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** Largest of four lanes. */
// @ts-ignore: decorator
@inline
export function laneMax(v: v128): f32 {
  return max(
    max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  );
}

/**
 * e^x per lane: range reduction by ln 2 and a degree-five polynomial (Cephes single-precision coefficients). Adding 1.5 * 2^23
 * rounds to the nearest integer and leaves it in the low bits; WebAssembly's own rounding, conversion, `min`, and `max` each
 * take several instructions.
 */
// @ts-ignore: decorator
@inline
export function exp4(x: v128): v128 {
  const shift = f32x4.splat(12582912.0);
  x = f32x4.pmax(f32x4.pmin(x, f32x4.splat(88.0)), f32x4.splat(-87.0));
  const shifted = f32x4.add(f32x4.mul(x, f32x4.splat(1.44269504088896341)), shift);
  const n = f32x4.sub(shifted, shift);
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(-2.1219444e-4)));
  let p = f32x4.splat(1.98756915e-4);
  p = mulAdd(p, r, f32x4.splat(1.3981999507e-3));
  p = mulAdd(p, r, f32x4.splat(8.3334519073e-3));
  p = mulAdd(p, r, f32x4.splat(4.1665795894e-2));
  p = mulAdd(p, r, f32x4.splat(1.6666665459e-1));
  p = mulAdd(p, r, f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), f32x4.splat(1.0));
  return f32x4.mul(p, i32x4.shl(i32x4.add(shifted, i32x4.splat(127)), 23));
}
