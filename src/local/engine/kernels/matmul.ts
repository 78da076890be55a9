// Matrix products. Pointers are byte offsets into linear memory, matrices are row-major 32-bit floats, and ld* are row lengths in floats.
// Every output element is a sum over k in ascending order for any tiling, so results do not depend on the number of rows per call.

import { mulAdd } from "./math";

// A "packed" right-hand side consists of panels of eight columns, each [K][8], so that the inner loop reads it sequentially.

/** Packs B[K, N] into panels; columns past N are zero. */
export function pack(B: usize, ldb: i32, K: i32, N: i32, out: usize): void {
  for (let j = 0; j < N; j += 8) {
    const width = min(8, N - j);
    let src = B + (<usize>j << 2);
    const stride = <usize>ldb << 2;
    if (width == 8) {
      for (let k = 0; k < K; k++) {
        v128.store(out, v128.load(src));
        v128.store(out, v128.load(src, 16), 16);
        src += stride;
        out += 32;
      }
    } else {
      for (let k = 0; k < K; k++) {
        for (let q = 0; q < 8; q++) {
          store<f32>(out + (<usize>q << 2), q < width ? load<f32>(src + (<usize>q << 2)) : 0);
        }
        src += stride;
        out += 32;
      }
    }
  }
}

/** Four rows of four floats, written as columns. */
// @ts-ignore: decorator
@inline
function transpose4(src: usize, stride: usize, dst: usize, dstStride: usize): void {
  const r0 = v128.load(src), r1 = v128.load(src + stride);
  const r2 = v128.load(src + 2 * stride), r3 = v128.load(src + 3 * stride);
  const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5), high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
  const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5), high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
  v128.store(dst, v128.shuffle<f32>(low01, low23, 0, 1, 4, 5));
  v128.store(dst + dstStride, v128.shuffle<f32>(low01, low23, 2, 3, 6, 7));
  v128.store(dst + 2 * dstStride, v128.shuffle<f32>(high01, high23, 0, 1, 4, 5));
  v128.store(dst + 3 * dstStride, v128.shuffle<f32>(high01, high23, 2, 3, 6, 7));
}

/** out[K, M] = A[M, K] transposed. */
export function transpose(A: usize, lda: i32, M: i32, K: i32, out: usize, ldo: i32): void {
  const sa = <usize>lda << 2;
  const so = <usize>ldo << 2;
  for (let i = 0; i < M; i += 4) {
    let src = A + <usize>i * sa;
    let dst = out + (<usize>i << 2);
    const rows = min(4, M - i);
    let k = 0;
    if (rows == 4) {
      for (; k + 4 <= K; k += 4) {
        transpose4(src, sa, dst, so);
        src += 16;
        dst += so << 2;
      }
    }
    for (; k < K; k++) {
      for (let q = 0; q < rows; q++) store<f32>(dst + (<usize>q << 2), load<f32>(src + <usize>q * sa));
      src += 4;
      dst += so;
    }
  }
}

/** Packs the transpose of Bt[N, K], that is, panels of a [K, N] matrix. */
export function packTransposed(Bt: usize, ldb: i32, K: i32, N: i32, out: usize): void {
  for (let j = 0; j < N; j += 8) {
    const width = min(8, N - j);
    if (width < 8) memory.fill(out, 0, <usize>K << 5);
    transpose(Bt + (<usize>(j * ldb) << 2), ldb, width, K, out, 8);
    out += <usize>K << 5;
  }
}

const edge: usize = memory.data(32, 16);

function storeEdge(c: usize, left: v128, right: v128, width: i32, alpha: f32, accumulate: i32): void {
  v128.store(edge, left);
  v128.store(edge, right, 16);
  for (let q = 0; q < width; q++) {
    const value = alpha * load<f32>(edge + (<usize>q << 2));
    const p = c + (<usize>q << 2);
    store<f32>(p, accumulate ? load<f32>(p) + value : value);
  }
}

// @ts-ignore: decorator
@inline
function storeRow(c: usize, left: v128, right: v128, alpha: v128, accumulate: i32): void {
  left = f32x4.mul(left, alpha);
  right = f32x4.mul(right, alpha);
  if (accumulate) {
    left = f32x4.add(v128.load(c), left);
    right = f32x4.add(v128.load(c, 16), right);
  }
  v128.store(c, left);
  v128.store(c, right, 16);
}

/**
 * C[M, N] = alpha * A[M, K] * B (+ C if `accumulate`), B packed with `packedK` rows per panel (packedK >= K uses the first K).
 * Writes exactly N columns.
 */
export function matmul(
  A: usize, lda: i32, B: usize, packedK: i32, C: usize, ldc: i32,
  M: i32, N: i32, K: i32, alpha: f32, accumulate: i32,
): void {
  const BLOCK = 48;
  const va = f32x4.splat(alpha);
  const sa = <usize>lda << 2;
  const sc = <usize>ldc << 2;
  for (let i0 = 0; i0 < M; i0 += BLOCK) {
    const i1 = min(M, i0 + BLOCK);
    for (let j = 0; j < N; j += 8) {
      const panel = B + (<usize>(j * packedK) << 2);
      const width = N - j;
      let i = i0;
      for (; i + 4 <= i1; i += 4) {
        let a0 = A + <usize>i * sa;
        let a1 = a0 + sa;
        let a2 = a1 + sa;
        let a3 = a2 + sa;
        let b = panel;
        let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
        for (let k = 0; k < K; k++) {
          const b0 = v128.load(b), b1 = v128.load(b, 16);
          const x0 = v128.load32_splat(a0); c00 = mulAdd(x0, b0, c00); c01 = mulAdd(x0, b1, c01);
          const x1 = v128.load32_splat(a1); c10 = mulAdd(x1, b0, c10); c11 = mulAdd(x1, b1, c11);
          const x2 = v128.load32_splat(a2); c20 = mulAdd(x2, b0, c20); c21 = mulAdd(x2, b1, c21);
          const x3 = v128.load32_splat(a3); c30 = mulAdd(x3, b0, c30); c31 = mulAdd(x3, b1, c31);
          a0 += 4; a1 += 4; a2 += 4; a3 += 4; b += 32;
        }
        let c = C + <usize>i * sc + (<usize>j << 2);
        if (width >= 8) {
          storeRow(c, c00, c01, va, accumulate); c += sc;
          storeRow(c, c10, c11, va, accumulate); c += sc;
          storeRow(c, c20, c21, va, accumulate); c += sc;
          storeRow(c, c30, c31, va, accumulate);
        } else {
          storeEdge(c, c00, c01, width, alpha, accumulate); c += sc;
          storeEdge(c, c10, c11, width, alpha, accumulate); c += sc;
          storeEdge(c, c20, c21, width, alpha, accumulate); c += sc;
          storeEdge(c, c30, c31, width, alpha, accumulate);
        }
      }
      for (; i < i1; i++) {
        let a0 = A + <usize>i * sa;
        let b = panel;
        let c0 = f32x4.splat(0), c1 = c0;
        for (let k = 0; k < K; k++) {
          const x = v128.load32_splat(a0);
          c0 = mulAdd(x, v128.load(b), c0);
          c1 = mulAdd(x, v128.load(b, 16), c1);
          a0 += 4;
          b += 32;
        }
        const c = C + <usize>i * sc + (<usize>j << 2);
        if (width >= 8) storeRow(c, c0, c1, va, accumulate);
        else storeEdge(c, c0, c1, width, alpha, accumulate);
      }
    }
  }
}

/** C[M, N] += alpha * transpose(A[K, M]) * B[K, N]; M is a multiple of 4, N of 8. Computes weight gradients. */
export function matmulTransposedA(
  A: usize, lda: i32, B: usize, ldb: i32, C: usize, ldc: i32,
  M: i32, N: i32, K: i32, alpha: f32,
): void {
  const BLOCK = 128;
  const sa = <usize>lda << 2;
  const sb = <usize>ldb << 2;
  const sc = <usize>ldc << 2;
  const va = f32x4.splat(alpha);
  for (let k0 = 0; k0 < K; k0 += BLOCK) {
    const kn = min(BLOCK, K - k0);
    for (let i = 0; i < M; i += 4) {
      for (let j = 0; j < N; j += 8) {
        let a = A + <usize>k0 * sa + (<usize>i << 2);
        let b = B + <usize>k0 * sb + (<usize>j << 2);
        let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
        for (let k = 0; k < kn; k++) {
          const b0 = v128.load(b), b1 = v128.load(b, 16);
          const x0 = v128.load32_splat(a); c00 = mulAdd(x0, b0, c00); c01 = mulAdd(x0, b1, c01);
          const x1 = v128.load32_splat(a, 4); c10 = mulAdd(x1, b0, c10); c11 = mulAdd(x1, b1, c11);
          const x2 = v128.load32_splat(a, 8); c20 = mulAdd(x2, b0, c20); c21 = mulAdd(x2, b1, c21);
          const x3 = v128.load32_splat(a, 12); c30 = mulAdd(x3, b0, c30); c31 = mulAdd(x3, b1, c31);
          a += sa;
          b += sb;
        }
        let c = C + <usize>i * sc + (<usize>j << 2);
        storeRow(c, c00, c01, va, 1); c += sc;
        storeRow(c, c10, c11, va, 1); c += sc;
        storeRow(c, c20, c21, va, 1); c += sc;
        storeRow(c, c30, c31, va, 1);
      }
    }
  }
}
