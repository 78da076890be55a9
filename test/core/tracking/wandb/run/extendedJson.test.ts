import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ExtendedValue,
  parseExtended,
  writeExtended,
} from "../../../../../src/core/tracking/wandb/run/extendedJson.ts";

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double().map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.bigInt({ min: 2n ** 60n }).map((value) => value * 2n + 1n),
  fc.string({ unit: "binary" }),
  fc.constantFrom("NaN", "\u0000NaN", "\u0000\u00001", "-Infinity", '"\\', "12345678901234567890"),
);
const value = fc.letrec<{ value: ExtendedValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value")),
    fc.dictionary(fc.string({ unit: "binary" }), tie("value"), { noNullPrototype: true }),
  ),
})).value;

describe("extended JSON", () => {
  it("restores every value", () => {
    fc.assert(
      fc.property(value, (original) => {
        expect(parseExtended(writeExtended(original))).toEqual({ value: original });
      }),
    );
  });

  it("writes non-JSON numbers as bare words, and keeps all digits of integers", () => {
    const row = { a: Number.NaN, b: Number.NEGATIVE_INFINITY, c: 2n ** 64n + 1n, d: 1e-7 };
    const text = '{"a":NaN,"b":-Infinity,"c":18446744073709551617,"d":1e-7}';
    expect(writeExtended(row)).toBe(text);
    expect(parseExtended(text)).toEqual({ value: row });
  });

  it.each(["", "{", "<html>", "[1,]", "nan", '{"a" 1}', "1 2"])("rejects %j", (text) => {
    expect(parseExtended(text)).toBeNull();
  });
});
