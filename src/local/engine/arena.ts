/** WebAssembly memory with the compiled kernels; a bump allocator suffices because buffers live as long as their worker. */

import { readFile } from "node:fs/promises";
import { AppError } from "../../core/errors.ts";

/** Interface of the kernels; pointers are byte offsets, sizes are element counts (see `kernels/`). */
export interface Kernels {
  pack(b: number, ldb: number, k: number, n: number, out: number): void;
  packTransposed(bt: number, ldb: number, k: number, n: number, out: number): void;
  transpose(a: number, lda: number, m: number, k: number, out: number, ldo: number): void;
  matmul(
    a: number,
    lda: number,
    b: number,
    packedK: number,
    c: number,
    ldc: number,
    m: number,
    n: number,
    k: number,
    alpha: number,
    accumulate: number,
  ): void;
  matmulTransposedA(
    a: number,
    lda: number,
    b: number,
    ldb: number,
    c: number,
    ldc: number,
    m: number,
    n: number,
    k: number,
    alpha: number,
  ): void;
  rope(
    x: number,
    ld: number,
    positions: number,
    cos: number,
    sin: number,
    n: number,
    heads: number,
    dh: number,
    sign: number,
  ): void;
  softmaxCausal(s: number, ld: number, m: number, offset: number, columns: number): void;
  softmaxBackward(
    p: number,
    dp: number,
    ld: number,
    m: number,
    offset: number,
    columns: number,
    scale: number,
  ): void;
  cacheRow(
    row: number,
    cache: number,
    position: number,
    capacity: number,
    heads: number,
    dh: number,
  ): void;
  attendRow(
    q: number,
    keys: number,
    values: number,
    capacity: number,
    length: number,
    heads: number,
    dh: number,
    scale: number,
    out: number,
    scratch: number,
  ): void;
  gatherRows(x: number, index: number, out: number, n: number, d: number): void;
  scatterRows(x: number, index: number, out: number, n: number, d: number): void;
  scatterAddRows(x: number, index: number, out: number, n: number, d: number): void;
  rmsNorm(
    x: number,
    gain: number,
    y: number,
    rstd: number,
    n: number,
    d: number,
    eps: number,
  ): void;
  rmsNormBackward(
    x: number,
    gain: number,
    rstd: number,
    dy: number,
    dx: number,
    dGain: number,
    n: number,
    d: number,
  ): void;
  swiglu(gate: number, up: number, out: number, n: number): void;
  swigluBackward(gate: number, up: number, dOut: number, n: number): void;
  targetLogprobs(logits: number, targets: number, out: number, m: number, v: number): void;
  targetLogprobsBackward(
    probabilities: number,
    targets: number,
    c: number,
    m: number,
    v: number,
  ): void;
  logSoftmax(logits: number, m: number, v: number): void;
}

const PAGE_BYTES = 65_536;

export class Arena {
  readonly kernels: Kernels;
  private readonly memory: WebAssembly.Memory;
  private top = PAGE_BYTES;

  private constructor(memory: WebAssembly.Memory, kernels: Kernels) {
    this.memory = memory;
    this.kernels = kernels;
  }

  /** Compiles the kernels of a `kernels.wasm` file. @throws AppError `engine-kernels` */
  static async load(wasmPath: string): Promise<Arena> {
    const memory = new WebAssembly.Memory({ initial: 64, maximum: 65_536 });
    try {
      const module = await WebAssembly.compile(new Uint8Array(await readFile(wasmPath)));
      const instance = await WebAssembly.instantiate(module, { env: { memory, abort } });
      // The exports of kernels/index.ts match the interface above.
      return new Arena(memory, instance.exports as unknown as Kernels);
    } catch (cause) {
      throw new AppError(
        "engine-kernels",
        `The compute kernels ${wasmPath} do not load. Run \`npm run build\`, or reinstall the program.`,
        { cause },
      );
    }
  }

  /** Reserves `length` zeroed 32-bit values. May grow the memory, which detaches all earlier views. */
  alloc(length: number): number {
    const pointer = this.top;
    this.top += Math.ceil((length * 4) / 64) * 64;
    const missing = this.top - this.memory.buffer.byteLength;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / PAGE_BYTES) + 64);
    }
    return pointer;
  }

  /** A view for immediate use; any later `alloc` may detach it. */
  floats(pointer: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, pointer, length);
  }

  ints(pointer: number, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, pointer, length);
  }

  /** Copies `length` 32-bit values within the memory. */
  copy(target: number, source: number, length: number): void {
    new Uint8Array(this.memory.buffer).copyWithin(target, source, source + length * 4);
  }
}

function abort(): never {
  throw new AppError(
    "engine-kernels",
    "A compute kernel aborted. This is a bug in the embedded engine.",
  );
}
