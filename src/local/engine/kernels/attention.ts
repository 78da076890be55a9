// Causal softmax and its gradient, rotary embeddings, and attention of single rows against cached keys and values.

import { exp4, laneMax, laneSum, mulAdd } from "./math";

/** Rotates pairs (k, k + dh/2) of each head by the angle of the row's position; `sign` -1 reverses it. In place on x[n, ld]. */
export function rope(x: usize, ld: i32, positions: usize, cos: usize, sin: usize, n: i32, heads: i32, dh: i32, sign: f32): void {
  const half = <usize>dh << 1;
  const vs = f32x4.splat(sign);
  for (let i = 0; i < n; i++) {
    const angle = <usize>load<i32>(positions + (<usize>i << 2)) * half;
    const row = x + (<usize>(i * ld) << 2);
    for (let h = 0; h < heads; h++) {
      const head = row + (<usize>(h * dh) << 2);
      for (let k: usize = 0; k < half; k += 16) {
        const c = v128.load(cos + angle + k);
        const s = f32x4.mul(v128.load(sin + angle + k), vs);
        const u = v128.load(head + k);
        const v = v128.load(head + half + k);
        v128.store(head + k, f32x4.sub(f32x4.mul(u, c), f32x4.mul(v, s)));
        v128.store(head + half + k, f32x4.add(f32x4.mul(v, c), f32x4.mul(u, s)));
      }
    }
  }
}

/** Softmax of M rows of scores; row i sees its first offset + i + 1 columns, and the rest up to `columns` becomes 0. */
export function softmaxCausal(S: usize, ld: i32, M: i32, offset: i32, columns: i32): void {
  for (let i = 0; i < M; i++) {
    const row = S + (<usize>(i * ld) << 2);
    const n = offset + i + 1;
    const n4 = (n + 3) & ~3;
    for (let k = n; k < n4; k++) store<f32>(row + (<usize>k << 2), -1e30);
    let m = v128.load(row);
    for (let k = 4; k < n4; k += 4) m = f32x4.pmax(m, v128.load(row + (<usize>k << 2)));
    const vm = f32x4.splat(laneMax(m));
    let sum = f32x4.splat(0);
    for (let k = 0; k < n4; k += 4) {
      const e = exp4(f32x4.sub(v128.load(row + (<usize>k << 2)), vm));
      v128.store(row + (<usize>k << 2), e);
      sum = f32x4.add(sum, e);
    }
    const inverse = f32x4.splat(<f32>1.0 / laneSum(sum));
    for (let k = 0; k < n4; k += 4) {
      v128.store(row + (<usize>k << 2), f32x4.mul(v128.load(row + (<usize>k << 2)), inverse));
    }
    for (let k = n; k < columns; k++) store<f32>(row + (<usize>k << 2), 0);
  }
}

/** dS = P * (dP - sum(dP * P)) * scale, written over dP. */
export function softmaxBackward(P: usize, dP: usize, ld: i32, M: i32, offset: i32, columns: i32, scale: f32): void {
  const vscale = f32x4.splat(scale);
  for (let i = 0; i < M; i++) {
    const o = <usize>(i * ld) << 2;
    const n4 = (offset + i + 4) & ~3;
    let s = f32x4.splat(0);
    for (let k = 0; k < n4; k += 4) {
      const q = o + (<usize>k << 2);
      s = mulAdd(v128.load(P + q), v128.load(dP + q), s);
    }
    const vs = f32x4.splat(laneSum(s));
    for (let k = 0; k < n4; k += 4) {
      const q = o + (<usize>k << 2);
      v128.store(dP + q, f32x4.mul(f32x4.mul(v128.load(P + q), f32x4.sub(v128.load(dP + q), vs)), vscale));
    }
    for (let k = n4; k < columns; k++) store<f32>(dP + o + (<usize>k << 2), 0);
  }
}

/** The lane sums of four vectors as one vector. */
// @ts-ignore: decorator
@inline
function laneSums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

/** Scores of one head's query against `length` rows, four at a time; returns the largest. Reads rows up to the next multiple of four. */
function scoreRows(q: usize, keys: usize, stride: usize, length: i32, headBytes: usize, scale: f32, out: usize): v128 {
  const vscale = f32x4.splat(scale);
  let largest = f32x4.splat(-1e30);
  for (let t = 0; t < length; t += 4) {
    const k1 = keys + stride;
    const k2 = k1 + stride;
    const k3 = k2 + stride;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let k: usize = 0; k < headBytes; k += 16) {
      const x = v128.load(q + k);
      s0 = mulAdd(x, v128.load(keys + k), s0);
      s1 = mulAdd(x, v128.load(k1 + k), s1);
      s2 = mulAdd(x, v128.load(k2 + k), s2);
      s3 = mulAdd(x, v128.load(k3 + k), s3);
    }
    let scores = f32x4.mul(laneSums(s0, s1, s2, s3), vscale);
    if (t + 4 > length) {
      v128.store(out + (<usize>t << 2), scores);
      for (let i = length; i < t + 4; i++) store<f32>(out + (<usize>i << 2), -1e30);
      scores = v128.load(out + (<usize>t << 2));
    } else {
      v128.store(out + (<usize>t << 2), scores);
    }
    largest = f32x4.pmax(largest, scores);
    keys = k3 + stride;
  }
  return largest;
}

/** out[floats] = sum over rows of weights[t] * values[t], times `factor`, 16 floats. */
// @ts-ignore: decorator
@inline
function mixRows16(weights: usize, values: usize, stride: usize, length: i32, factor: v128, out: usize): void {
  let o0 = f32x4.splat(0), o1 = o0, o2 = o0, o3 = o0;
  for (let t = 0; t < length; t++) {
    const w = v128.load32_splat(weights);
    o0 = mulAdd(w, v128.load(values), o0);
    o1 = mulAdd(w, v128.load(values, 16), o1);
    o2 = mulAdd(w, v128.load(values, 32), o2);
    o3 = mulAdd(w, v128.load(values, 48), o3);
    weights += 4;
    values += stride;
  }
  v128.store(out, f32x4.mul(o0, factor));
  v128.store(out, f32x4.mul(o1, factor), 16);
  v128.store(out, f32x4.mul(o2, factor), 32);
  v128.store(out, f32x4.mul(o3, factor), 48);
}

/** Like `mixRows16`, for 32 floats, the head size of the embedded model. */
// @ts-ignore: decorator
@inline
function mixRows32(weights: usize, values: usize, stride: usize, length: i32, factor: v128, out: usize): void {
  let o0 = f32x4.splat(0), o1 = o0, o2 = o0, o3 = o0, o4 = o0, o5 = o0, o6 = o0, o7 = o0;
  for (let t = 0; t < length; t++) {
    const w = v128.load32_splat(weights);
    o0 = mulAdd(w, v128.load(values), o0);
    o1 = mulAdd(w, v128.load(values, 16), o1);
    o2 = mulAdd(w, v128.load(values, 32), o2);
    o3 = mulAdd(w, v128.load(values, 48), o3);
    o4 = mulAdd(w, v128.load(values, 64), o4);
    o5 = mulAdd(w, v128.load(values, 80), o5);
    o6 = mulAdd(w, v128.load(values, 96), o6);
    o7 = mulAdd(w, v128.load(values, 112), o7);
    weights += 4;
    values += stride;
  }
  v128.store(out, f32x4.mul(o0, factor));
  v128.store(out, f32x4.mul(o1, factor), 16);
  v128.store(out, f32x4.mul(o2, factor), 32);
  v128.store(out, f32x4.mul(o3, factor), 48);
  v128.store(out, f32x4.mul(o4, factor), 64);
  v128.store(out, f32x4.mul(o5, factor), 80);
  v128.store(out, f32x4.mul(o6, factor), 96);
  v128.store(out, f32x4.mul(o7, factor), 112);
}

/** Writes a row of all heads into a cache that stores heads one after another, `capacity` rows each. */
export function cacheRow(row: usize, cache: usize, position: i32, capacity: i32, heads: i32, dh: i32): void {
  const headBytes = <usize>dh << 2;
  let out = cache + <usize>position * headBytes;
  for (let h = 0; h < heads; h++) {
    memory.copy(out, row, headBytes);
    row += headBytes;
    out += <usize>capacity * headBytes;
  }
}

/**
 * Attention of one query row q[heads * dh] against `length` cached rows of keys and values in the layout of `cacheRow`; out[heads *
 * dh]. dh is a multiple of 16. `scratch` has at least length + 4 floats; reads up to three key rows past the last.
 */
export function attendRow(
  q: usize, keys: usize, values: usize, capacity: i32, length: i32, heads: i32, dh: i32, scale: f32, out: usize, scratch: usize,
): void {
  const headBytes = <usize>dh << 2;
  const n4 = (length + 3) & ~3;
  for (let h = 0; h < heads; h++) {
    const ho = <usize>h * headBytes;
    const cached = <usize>(h * capacity) * headBytes;
    const largest = laneMax(scoreRows(q + ho, keys + cached, headBytes, length, headBytes, scale, scratch));
    const vm = f32x4.splat(largest);
    let sum = f32x4.splat(0);
    for (let t = 0; t < n4; t += 4) {
      const e = exp4(f32x4.sub(v128.load(scratch + (<usize>t << 2)), vm));
      v128.store(scratch + (<usize>t << 2), e);
      sum = f32x4.add(sum, e);
    }
    const inverse = f32x4.splat(<f32>1.0 / laneSum(sum));
    let k: usize = 0;
    for (; k + 128 <= headBytes; k += 128) {
      mixRows32(scratch, values + cached + k, headBytes, length, inverse, out + ho + k);
    }
    if (k < headBytes) mixRows16(scratch, values + cached + k, headBytes, length, inverse, out + ho + k);
  }
}
