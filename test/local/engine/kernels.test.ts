import { beforeAll, describe, expect, it } from "vitest";
import { Arena } from "../../../src/local/engine/arena.ts";
import { createNormal } from "../../../src/local/random.ts";
import { KERNELS } from "./testModel.ts";

/** Around the widths of vectors, of panels and of blocks. */
const SIZES = [3, 4, 8, 9, 33];
const PADDING = 3;

let arena: Arena;
let input: number;
let output: number;
const ROOM = 40 * 36;

beforeAll(async () => {
  arena = await Arena.load(KERNELS);
  input = arena.alloc(ROOM);
  output = arena.alloc(ROOM);
});

/** Fills the input with distinct numbers and the output with 7, which no kernel writes. */
function fill(): Float32Array {
  const normal = createNormal(1);
  const values = Float32Array.from({ length: ROOM }, normal);
  arena.floats(input, ROOM).set(values);
  arena.floats(output, ROOM).fill(7);
  return values;
}

const SHAPES = SIZES.flatMap((m) => SIZES.map((k) => ({ m, k })));

describe("transposing", () => {
  it("moves every number and writes nothing else, at odd sizes", () => {
    for (const { m, k } of SHAPES) {
      const values = fill();
      const expected = new Float32Array(ROOM).fill(7);
      for (let i = 0; i < m; i++) {
        for (let j = 0; j < k; j++) {
          expected[j * (m + PADDING) + i] = values[i * (k + PADDING) + j] ?? Number.NaN;
        }
      }
      arena.kernels.transpose(input, k + PADDING, m, k, output, m + PADDING);
      expect(arena.floats(output, ROOM), `${m} x ${k}`).toEqual(expected);
    }
  });

  it("while packing gives the panels of the transposed matrix, at odd sizes", () => {
    const upright = arena.alloc(ROOM);
    for (const { m, k } of SHAPES) {
      fill();
      arena.kernels.transpose(input, k, m, k, upright, m);
      arena.kernels.pack(upright, m, k, m, output);
      const packed = arena.floats(output, ROOM).slice();
      fill();
      arena.kernels.packTransposed(input, k, k, m, output);
      expect(arena.floats(output, ROOM), `${m} x ${k}`).toEqual(packed);
    }
  });
});

/** Natural logarithms of the softmax of a row, in double precision. */
function logSoftmax(row: readonly number[]): readonly number[] {
  const largest = Math.max(...row);
  const sum = row.reduce((total, x) => total + Math.exp(x - largest), 0);
  return row.map((x) => x - largest - Math.log(sum));
}

describe("exponentials", () => {
  function kernelLogSoftmax(row: readonly number[]): Float32Array {
    arena.floats(output, row.length).set(row);
    arena.kernels.logSoftmax(output, 1, row.length);
    return arena.floats(output, row.length).slice();
  }

  it.each([
    { title: "ordinary", row: [0.3, -1.2, 2.5, 0, -0.0, 1e-9, 4, -3] },
    { title: "far apart", row: [-1e30, 90, 89.5, -100, 3, 88, -87, 90] },
    { title: "equal", row: [-5, -5, -5, -5] },
  ])("match double precision: $title", ({ row }) => {
    const own = kernelLogSoftmax(row);
    const error = 1e-7 * Math.max(1, ...row);
    for (const [i, expected] of logSoftmax(row.map(Math.fround)).entries()) {
      const difference = Math.abs((own[i] ?? Number.NaN) - expected);
      expect(difference).toBeLessThanOrEqual(error + 1e-6 * Math.abs(expected));
    }
  });

  it.each([0, 3, 7])("of a row with NaN at place %i are NaN", (place) => {
    const row = Array.from({ length: 8 }, (_, i) => (i === place ? Number.NaN : i));
    expect(kernelLogSoftmax(row).every(Number.isNaN)).toBe(true);
  });

  it("match double precision in gates from -80 to 80", () => {
    const gates = Float32Array.from({ length: ROOM }, (_, i) => (160 * i) / ROOM - 80);
    const ones = arena.alloc(ROOM);
    arena.floats(ones, ROOM).fill(1);
    arena.floats(input, ROOM).set(gates);
    arena.kernels.swiglu(input, ones, output, ROOM);
    const largest = arena.floats(output, ROOM).reduce((worst, y, i) => {
      const x = gates[i] ?? Number.NaN;
      const expected = x / (1 + Math.exp(-x));
      return Math.max(worst, Math.abs(y - expected) / Math.max(1e-30, Math.abs(expected)));
    }, 0);
    expect(largest).toBeLessThan(1e-6);
  });
});
