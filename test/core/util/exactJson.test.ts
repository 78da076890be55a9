import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson, writeExactJson } from "../../../src/core/util/exactJson.ts";

/** Number formats: short and long integers, fractions, exponents, negative zero. */
const number = fc.oneof(
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})$/),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,3})\.\d{1,20}$/),
  fc.stringMatching(/^-?[1-9](?:\.\d{1,3})?[eE][+-]?\d{1,3}$/),
);
/** Strings with digits that are not numbers. */
const text = fc
  .oneof(fc.string(), fc.stringMatching(/^[-\d.eE"\\#]{0,24}$/))
  .map((own) => JSON.stringify(own));
const document = fc
  .array(fc.oneof(number, text))
  .map((items) => `{"a":[${items.join(",")}],"b":{"c":${items[0] ?? "1"}}}`);

describe("JSON that preserves the text of numbers", () => {
  it("is written as it was read, whatever numbers and strings it contains", () => {
    fc.assert(
      fc.property(document, (json) => {
        expect(writeExactJson(parseExactJson(json))).toBe(json);
      }),
      { numRuns: 500 },
    );
  });

  it("contains plain numbers when a double has the same text", () => {
    expect(parseExactJson('[1,-12,0.5,123456789012345,9007199254740992,"1.0"]')).toEqual([
      ...[1, -12, 0.5, 123456789012345, 9007199254740992, "1.0"],
    ]);
  });

  it.each(["-0", "1.0", "1e2", "1E2", "12345678901234567", "0.10"])(
    "preserves %s, which a double would format differently",
    (spelling) => {
      expect(parseExactJson(`[${spelling}]`)).toEqual([{ text: spelling }]);
    },
  );
});
