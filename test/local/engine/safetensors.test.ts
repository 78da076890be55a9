import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import {
  decodeSafetensors,
  encodeSafetensors,
  type Safetensors,
} from "../../../src/local/engine/safetensors.ts";

function single(data: Float32Array): Safetensors {
  return { tensors: new Map([["x", { shape: [data.length], data }]]), metadata: {} };
}

/** A file with any header over `payload`. */
function fileOf(header: string, payload: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + text.length + payload.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(payload, 8 + text.length);
  return bytes;
}

function throughFile(values: readonly number[], dtype: "F32" | "F16"): readonly number[] {
  const file = decodeSafetensors(encodeSafetensors(single(Float32Array.from(values)), dtype));
  return Array.from(file.tensors.get("x")?.data ?? []);
}

/** The last bytes of a 16-bit file, as bit patterns. */
function halfBits(values: readonly number[]): readonly number[] {
  const bytes = encodeSafetensors(single(Float32Array.from(values)), "F16");
  return Array.from(new Uint16Array(bytes.slice(-2 * values.length).buffer));
}

describe("a safetensors file", () => {
  it("contains names, shapes, metadata and exact 32-bit floats", () => {
    const tensors = new Map([
      ["a.weight", { shape: [2, 3], data: Float32Array.of(1, -0, 1e-42, 3.4e38, Number.NaN, -7) }],
      ["empty", { shape: [0, 4], data: new Float32Array() }],
      ["scalar", { shape: [], data: Float32Array.of(0.1) }],
    ]);
    const contents = { tensors, metadata: { format: "pt", note: "größer" } };
    expect(decodeSafetensors(encodeSafetensors(contents, "F32"))).toEqual(contents);
  });

  it("can be read inside a larger buffer", () => {
    const bytes = encodeSafetensors(single(Float32Array.of(1, 2)), "F32");
    const buffer = Buffer.concat([Buffer.from("abc"), bytes, Buffer.from("z")]);
    const file = decodeSafetensors(buffer.subarray(3, 3 + bytes.length));
    expect(Array.from(file.tensors.get("x")?.data ?? [])).toEqual([1, 2]);
  });

  it("starts its tensors at a multiple of eight bytes", () => {
    const bytes = encodeSafetensors({ ...single(Float32Array.of(1)), metadata: { a: "ö" } }, "F32");
    expect(Number(new DataView(bytes.buffer).getBigUint64(0, true)) % 8).toBe(0);
  });
});

describe("16-bit floats", () => {
  it("are restored with every bit, subnormal or infinite", () => {
    const patterns = Array.from({ length: 0x10000 }, (_, bits) => bits);
    const header = JSON.stringify({
      x: { dtype: "F16", shape: [patterns.length], data_offsets: [0, 2 * patterns.length] },
    });
    const file = fileOf(header, new Uint8Array(Uint16Array.from(patterns).buffer));
    const values = Array.from(decodeSafetensors(file).tensors.get("x")?.data ?? []);
    const isNaNPattern = (bits: number): boolean => (bits & 0x7fff) > 0x7c00;
    expect(values.map(Number.isNaN)).toEqual(patterns.map(isNaNPattern));
    const expected = patterns.map((bits) => (isNaNPattern(bits) ? 0x7e00 : bits));
    expect(halfBits(values)).toEqual(expected);
  });

  it("have their known values", () => {
    expect(halfBits([1, -2, 65504, 2 ** -24, 2 ** -14, -0])).toEqual([
      0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x8000,
    ]);
  });

  it("round ties to even, and carry into the exponent", () => {
    const cases: readonly (readonly [number, number])[] = [
      [1 + 2 ** -11, 0x3c00],
      [1 + 3 * 2 ** -11, 0x3c02],
      [2 - 2 ** -11, 0x4000],
      [2 ** -25, 0x0000],
      [1.5 * 2 ** -25, 0x0001],
      [1.5 * 2 ** -24, 0x0002],
      [1023.5 * 2 ** -24, 0x0400],
      [65519, 0x7bff],
      [65520, 0x7c00],
      [-1e30, 0xfc00],
    ];
    expect(halfBits(cases.map(([value]) => value))).toEqual(cases.map(([, bits]) => bits));
  });

  it("are the nearest representable ones", () => {
    fc.assert(
      fc.property(fc.float({ min: -65504, max: 65504, noNaN: true }), (value) => {
        const [bits = 0] = halfBits([value]);
        const neighbors = [bits - 1, bits, bits + 1].filter(
          (each) => (each & 0x7c00) !== 0x7c00 && each >= 0,
        );
        const header = `{"x":{"dtype":"F16","shape":[${neighbors.length}],"data_offsets":[0,${2 * neighbors.length}]}}`;
        const file = fileOf(header, new Uint8Array(Uint16Array.from(neighbors).buffer));
        const around = Array.from(decodeSafetensors(file).tensors.get("x")?.data ?? []);
        const [rounded = Number.NaN] = throughFile([value], "F16");
        const distance = Math.min(...around.map((each) => Math.abs(each - value)));
        expect(Math.abs(rounded - value)).toBe(distance);
      }),
    );
  });
});

/** True when decoding either succeeds or fails with the one documented error. */
function failsPolitely(bytes: Uint8Array): boolean {
  try {
    decodeSafetensors(bytes);
    return true;
  } catch (error) {
    return isAppError(error, "safetensors-invalid");
  }
}

describe("a file that is not safetensors", () => {
  const holding = (entry: object, size = 8, name = "x") =>
    fileOf(JSON.stringify({ [name]: entry }), new Uint8Array(size));
  const huge = Array(40).fill(2 ** 52);
  const empty = { dtype: "F32", shape: [0], data_offsets: [0, 0] };

  it.each([
    ["a cut header", new Uint8Array([255, 255, 255, 255, 255, 255, 255, 255])],
    ["no header", new Uint8Array(3)],
    ["text that is not JSON", fileOf("{", new Uint8Array())],
    ["an array", fileOf("[]", new Uint8Array())],
    ["an unknown type", holding({ dtype: "I64", shape: [1], data_offsets: [0, 8] })],
    ["offsets past the end", holding({ dtype: "F32", shape: [2], data_offsets: [0, 8] }, 4)],
    ["offsets that go back", holding({ dtype: "F32", shape: [1], data_offsets: [8, 4] })],
    ["a negative size", holding({ dtype: "F32", shape: [-1], data_offsets: [4, 0] })],
    ["a shape of another size", holding({ dtype: "F32", shape: [3], data_offsets: [0, 8] })],
    ["a shape beyond numbers", holding({ dtype: "F32", shape: huge, data_offsets: [0, 4] }, 4)],
    ["a tensor without a shape", holding({ dtype: "F32" }, 0)],
    ["metadata that are not texts", holding(empty, 0, "__metadata__")],
  ])("is rejected: %s", (_, bytes) => {
    expect(() => decodeSafetensors(bytes)).toThrow(/not a safetensors file/);
  });

  it("fails with one error, whatever its bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), failsPolitely));
  });

  it("fails with one error, whatever its header", () => {
    const size = fc.oneof(fc.nat(9), fc.integer(), fc.double());
    const entry = fc.record(
      {
        dtype: fc.constantFrom("F32", "F16", "BF16", 3),
        shape: fc.oneof(fc.array(size, { maxLength: 3 }), fc.string()),
        data_offsets: fc.oneof(fc.tuple(size, size), fc.array(size, { maxLength: 3 })),
      },
      { requiredKeys: [] },
    );
    const name = fc.oneof(fc.string(), fc.constantFrom("__metadata__", "__proto__", "constructor"));
    const header = fc.oneof(fc.jsonValue(), fc.dictionary(name, fc.oneof(entry, fc.jsonValue())));
    fc.assert(
      fc.property(header, fc.uint8Array({ maxLength: 40 }), (json, payload) =>
        failsPolitely(fileOf(JSON.stringify(json), payload)),
      ),
      { numRuns: 300 },
    );
  });

  it("fails with one error when a byte of a valid file is changed", () => {
    const good = encodeSafetensors(
      { ...single(Float32Array.of(1, 2, 3)), metadata: { a: "b" } },
      "F32",
    );
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (place, byte) => {
        const changed = good.slice();
        changed[place] = byte;
        return failsPolitely(changed);
      }),
      { numRuns: 300 },
    );
  });
});
