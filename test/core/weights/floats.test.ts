import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FloatType, fromFloats, toFloats } from "../../../src/core/weights/floats.ts";

function bitsOf(value: number, type: FloatType): number {
  return new Uint16Array(fromFloats(Float32Array.of(value), type).buffer)[0] ?? Number.NaN;
}

describe.each(["F16", "BF16"] as const)("%s numbers", (type) => {
  it("keep every bit when converted to 32 bits and back", () => {
    const all = Uint16Array.from({ length: 2 ** 16 }, (_, bits) => bits);
    const wide = toFloats(new Uint8Array(all.buffer), type);
    const back = new Uint16Array(fromFloats(wide, type).buffer);
    expect(all.filter((bits) => !Number.isNaN(wide[bits]) && back[bits] !== bits)).toHaveLength(0);
  });

  it("are rounded to the nearest, with ties to even", () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const bits = bitsOf(value, type);
        const around = [bits - 1, bits, bits + 1].filter((each) => (each & 0x7fff) !== 0x7fff);
        const [near = 0, ...others] = [bits, ...around].map((each) =>
          Math.abs((toFloats(new Uint8Array(Uint16Array.of(each).buffer), type)[0] ?? 0) - value),
        );
        if (!Number.isFinite(near)) return;
        for (const [at, other] of others.entries()) {
          if (around[at] === bits || !Number.isFinite(other)) continue;
          expect(near < other || (near === other && bits % 2 === 0)).toBe(true);
        }
      }),
    );
  });
});

/** As `torch.tensor(x).to(dtype)` rounds them; see https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype. */
it.each([
  ["BF16", 1 + 2 ** -8, 0x3f80],
  ["BF16", 1 + 3 * 2 ** -8, 0x3f82],
  ["BF16", 3.4e38, 0x7f80],
  ["BF16", Number.NaN, 0x7fc0],
  ["BF16", -0, 0x8000],
  ["F16", 1 + 2 ** -11, 0x3c00],
  ["F16", 65_519, 0x7bff],
  ["F16", 65_520, 0x7c00],
  ["F16", -(2 ** -25), 0x8000],
  ["F16", 1.5 * 2 ** -24, 0x0002],
] as const)("rounds in %s %d", (type, value, bits) => {
  expect(bitsOf(value, type)).toBe(bits);
});
