import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexOfText } from "../../../src/core/util/indexOfText.ts";

describe("the text search", () => {
  it("finds the same as the built-in search from the same position", () => {
    const letters = (least: number, most: number) =>
      fc
        .array(fc.constantFrom("a", "a", "a", "b"), { minLength: least, maxLength: most })
        .map((all) => all.join(""));
    fc.assert(
      fc.property(
        letters(0, 3),
        letters(1, 8),
        letters(0, 3),
        fc.nat(200),
        (front, unit, end, from) => {
          const wanted = unit.repeat(Math.ceil(70 / unit.length));
          const text = front + wanted.slice(1) + end + wanted + front + wanted;
          expect(indexOfText(text, wanted, from)).toBe(text.indexOf(wanted, from));
          expect(indexOfText(text, `${wanted}c`, from)).toBe(-1);
          expect(indexOfText(text, unit, from)).toBe(text.indexOf(unit, from));
        },
      ),
      { numRuns: 500 },
    );
  });
});
