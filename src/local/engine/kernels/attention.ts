// Causal softmax, its gradient, rotary positions, and attention of single rows against cached keys and values.

import { exp4, laneMax, laneSum, mulAdd } from "./math";

/** Rotates pairs (k, k + dh/2) of each head by the angle of the row's position; `sign` -1 undoes it. In place on x[n, ld]. */
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

/** Softmax of M rows of scores; row i sees its first offset + i + 1 columns, the rest up to `columns` becomes 0. */
export function softmaxCausal(S: usize, ld: i32, M: i32, offset: i32, columns: i32): void {
  for (let i = 0; i < M; i++) {
    const row = S + (<usize>(i * ld) << 2);
    const n = offset + i + 1;
    const n4 = (n + 3) & ~3;
    for (let k = n; k < n4; k++) store<f32>(row + (<usize>k << 2), -1e30);
    let m = v128.load(row);
    for (let k = 4; k < n4; k += 4) m = f32x4.max(m, v128.load(row + (<usize>k << 2)));
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

/**
 * Attention of one query row q[heads * dh] against `length` cached rows of keys and values (row length ld); out[heads * dh].
 * `scratch` holds at least length + 4 floats.
 */
export function attendRow(
  q: usize, keys: usize, values: usize, ld: i32, length: i32, heads: i32, dh: i32, scale: f32, out: usize, scratch: usize,
): void {
  const stride = <usize>ld << 2;
  const headBytes = <usize>dh << 2;
  const n4 = (length + 3) & ~3;
  for (let h = 0; h < heads; h++) {
    const ho = <usize>h * headBytes;
    let largest: f32 = -1e30;
    let row = keys + ho;
    for (let t = 0; t < length; t++) {
      let s = f32x4.splat(0);
      for (let k: usize = 0; k < headBytes; k += 16) s = mulAdd(v128.load(q + ho + k), v128.load(row + k), s);
      const score = laneSum(s) * scale;
      store<f32>(scratch + (<usize>t << 2), score);
      largest = max(largest, score);
      row += stride;
    }
    for (let t = length; t < n4; t++) store<f32>(scratch + (<usize>t << 2), -1e30);
    const vm = f32x4.splat(largest);
    let sum = f32x4.splat(0);
    for (let t = 0; t < n4; t += 4) {
      const e = exp4(f32x4.sub(v128.load(scratch + (<usize>t << 2)), vm));
      v128.store(scratch + (<usize>t << 2), e);
      sum = f32x4.add(sum, e);
    }
    const inverse = <f32>1.0 / laneSum(sum);
    // Sixteen output floats at a time stay in registers over all rows.
    for (let k: usize = 0; k < headBytes; k += 64) {
      let o0 = f32x4.splat(0), o1 = o0, o2 = o0, o3 = o0;
      let v = values + ho + k;
      for (let t = 0; t < length; t++) {
        const w = f32x4.splat(load<f32>(scratch + (<usize>t << 2)) * inverse);
        o0 = mulAdd(w, v128.load(v), o0);
        o1 = mulAdd(w, v128.load(v, 16), o1);
        o2 = mulAdd(w, v128.load(v, 32), o2);
        o3 = mulAdd(w, v128.load(v, 48), o3);
        v += stride;
      }
      v128.store(out + ho + k, o0);
      v128.store(out + ho + k, o1, 16);
      v128.store(out + ho + k, o2, 32);
      v128.store(out + ho + k, o3, 48);
    }
  }
}
