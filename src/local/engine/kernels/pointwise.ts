// Embedding lookup, normalization, gated activation, log-probabilities, and row copies.

import { exp4, laneMax, laneSum, mulAdd } from "./math";

/** a[n] += b[n]; n is a multiple of 4. */
function addInto(a: usize, b: usize, n: i32): void {
  for (let i = 0; i < n; i += 4) {
    v128.store(a, f32x4.add(v128.load(a), v128.load(b)));
    a += 16;
    b += 16;
  }
}

/** out[i] = x[index[i]], rows of d floats. */
export function gatherRows(x: usize, index: usize, out: usize, n: i32, d: i32): void {
  const bytes = <usize>d << 2;
  for (let i = 0; i < n; i++) {
    memory.copy(out + <usize>i * bytes, x + <usize>load<i32>(index + (<usize>i << 2)) * bytes, bytes);
  }
}

/** out[index[i]] = x[i], rows of d floats. */
export function scatterRows(x: usize, index: usize, out: usize, n: i32, d: i32): void {
  const bytes = <usize>d << 2;
  for (let i = 0; i < n; i++) {
    memory.copy(out + <usize>load<i32>(index + (<usize>i << 2)) * bytes, x + <usize>i * bytes, bytes);
  }
}

/** out[index[i]] += x[i], rows of d floats: the gradient of an embedding lookup. */
export function scatterAddRows(x: usize, index: usize, out: usize, n: i32, d: i32): void {
  const bytes = <usize>d << 2;
  for (let i = 0; i < n; i++) {
    addInto(out + <usize>load<i32>(index + (<usize>i << 2)) * bytes, x + <usize>i * bytes, d);
  }
}

/** y = x / sqrt(mean(x^2) + eps) * gain per row of d; stores the reciprocal root in rstd[n]. */
export function rmsNorm(x: usize, gain: usize, y: usize, rstd: usize, n: i32, d: i32, eps: f32): void {
  for (let i = 0; i < n; i++) {
    let s = f32x4.splat(0);
    let p = x;
    for (let k = 0; k < d; k += 4) {
      const v = v128.load(p);
      s = mulAdd(v, v, s);
      p += 16;
    }
    const r = <f32>1.0 / sqrt<f32>(laneSum(s) / <f32>d + eps);
    store<f32>(rstd, r);
    rstd += 4;
    const vr = f32x4.splat(r);
    let g = gain;
    for (let k = 0; k < d; k += 4) {
      v128.store(y, f32x4.mul(f32x4.mul(v128.load(x), vr), v128.load(g)));
      x += 16;
      y += 16;
      g += 16;
    }
  }
}

/** dx += r*g*dy - x * r^3/d * sum(dy*g*x) per row; also dGain += dy*x*r if dGain is not 0. */
export function rmsNormBackward(x: usize, gain: usize, rstd: usize, dy: usize, dx: usize, dGain: usize, n: i32, d: i32): void {
  const bytes = <usize>d << 2;
  for (let i = 0; i < n; i++) {
    const r = load<f32>(rstd + (<usize>i << 2));
    const o = <usize>i * bytes;
    let s = f32x4.splat(0);
    for (let k: usize = 0; k < bytes; k += 16) {
      s = mulAdd(f32x4.mul(v128.load(dy + o + k), v128.load(gain + k)), v128.load(x + o + k), s);
    }
    const c = f32x4.splat((laneSum(s) * r * r * r) / <f32>d);
    const vr = f32x4.splat(r);
    for (let k: usize = 0; k < bytes; k += 16) {
      const vx = v128.load(x + o + k);
      const vdy = v128.load(dy + o + k);
      const own = f32x4.sub(f32x4.mul(f32x4.mul(vdy, v128.load(gain + k)), vr), f32x4.mul(vx, c));
      v128.store(dx + o + k, f32x4.add(v128.load(dx + o + k), own));
      if (dGain) v128.store(dGain + k, mulAdd(f32x4.mul(vdy, vx), vr, v128.load(dGain + k)));
    }
  }
}

/** out = silu(gate) * up; n is a multiple of 4. */
export function swiglu(gate: usize, up: usize, out: usize, n: i32): void {
  const one = f32x4.splat(1);
  for (let i = 0; i < n; i += 4) {
    const x = v128.load(gate);
    const sigmoid = f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))));
    v128.store(out, f32x4.mul(f32x4.mul(x, sigmoid), v128.load(up)));
    gate += 16;
    up += 16;
    out += 16;
  }
}

/** Gradients of swiglu, written over gate and up. */
export function swigluBackward(gate: usize, up: usize, dOut: usize, n: i32): void {
  const one = f32x4.splat(1);
  for (let i = 0; i < n; i += 4) {
    const x = v128.load(gate);
    const y = v128.load(up);
    const d = v128.load(dOut);
    const sigmoid = f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(x))));
    v128.store(up, f32x4.mul(d, f32x4.mul(x, sigmoid)));
    const slope = f32x4.mul(sigmoid, f32x4.add(one, f32x4.mul(x, f32x4.sub(one, sigmoid))));
    v128.store(gate, f32x4.mul(f32x4.mul(d, y), slope));
    gate += 16;
    up += 16;
    dOut += 16;
  }
}

/** out[i] = log softmax(logits[i])[target[i]] over V columns; turns the logits into probabilities. */
export function targetLogprobs(logits: usize, targets: usize, out: usize, M: i32, V: i32): void {
  for (let i = 0; i < M; i++) {
    const row = logits + (<usize>(i * V) << 2);
    let m = v128.load(row);
    for (let k = 4; k < V; k += 4) m = f32x4.pmax(m, v128.load(row + (<usize>k << 2)));
    const largest = laneMax(m);
    const target = load<f32>(row + (<usize>load<i32>(targets + (<usize>i << 2)) << 2));
    const vm = f32x4.splat(largest);
    let sum = f32x4.splat(0);
    for (let k = 0; k < V; k += 4) {
      const e = exp4(f32x4.sub(v128.load(row + (<usize>k << 2)), vm));
      v128.store(row + (<usize>k << 2), e);
      sum = f32x4.add(sum, e);
    }
    const z = laneSum(sum);
    store<f32>(out + (<usize>i << 2), target - largest - <f32>Math.log(z));
    const inverse = f32x4.splat(<f32>1.0 / z);
    for (let k = 0; k < V; k += 4) {
      v128.store(row + (<usize>k << 2), f32x4.mul(v128.load(row + (<usize>k << 2)), inverse));
    }
  }
}

/** logits[M, V] -> log-probabilities, in place. */
export function logSoftmax(logits: usize, M: i32, V: i32): void {
  for (let i = 0; i < M; i++) {
    const row = logits + (<usize>(i * V) << 2);
    let m = v128.load(row);
    for (let k = 4; k < V; k += 4) m = f32x4.pmax(m, v128.load(row + (<usize>k << 2)));
    const largest = laneMax(m);
    const vm = f32x4.splat(largest);
    let sum = f32x4.splat(0);
    for (let k = 0; k < V; k += 4) {
      sum = f32x4.add(sum, exp4(f32x4.sub(v128.load(row + (<usize>k << 2)), vm)));
    }
    const shift = f32x4.splat(largest + <f32>Math.log(laneSum(sum)));
    for (let k = 0; k < V; k += 4) {
      v128.store(row + (<usize>k << 2), f32x4.sub(v128.load(row + (<usize>k << 2)), shift));
    }
  }
}

/** Gradient of sum c[i] * logprob[i] with respect to the logits, written over the probabilities: c * (onehot - p). */
export function targetLogprobsBackward(probabilities: usize, targets: usize, c: usize, M: i32, V: i32): void {
  for (let i = 0; i < M; i++) {
    const ci = load<f32>(c + (<usize>i << 2));
    const v = f32x4.splat(-ci);
    const row = probabilities + (<usize>(i * V) << 2);
    for (let k = 0; k < V; k += 4) {
      v128.store(row + (<usize>k << 2), f32x4.mul(v128.load(row + (<usize>k << 2)), v));
    }
    const p = row + (<usize>load<i32>(targets + (<usize>i << 2)) << 2);
    store<f32>(p, load<f32>(p) + ci);
  }
}
