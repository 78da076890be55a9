import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson, writeExactJson } from "../../../src/core/util/exactJson.ts";

/** Spellings of a number: short and long integers, fractions, exponents, minus zero. */
const number = fc.oneof(
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})$/),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,3})\.\d{1,20}$/),
  fc.stringMatching(/^-?[1-9](?:\.\d{1,3})?[eE][+-]?\d{1,3}$/),
);
/** Texts with digits, which are no numbers. */
const text = fc
  .oneof(fc.string(), fc.stringMatching(/^[-\d.eE"\\#]{0,24}$/))
  .map((own) => JSON.stringify(own));
const document = fc
  .array(fc.oneof(number, text))
  .map((items) => `{"a":[${items.join(",")}],"b":{"c":${items[0] ?? "1"}}}`);

describe("JSON whose numbers keep their text", () => {
  it("is written as it was read, whatever numbers and texts it holds", () => {
    fc.assert(
      fc.property(document, (json) => {
        expect(writeExactJson(parseExactJson(json))).toBe(json);
      }),
      { numRuns: 500 },
    );
  });

  it("holds plain numbers where a double is spelled the same", () => {
    expect(parseExactJson('[1,-12,0.5,123456789012345,9007199254740992,"1.0"]')).toEqual([
      ...[1, -12, 0.5, 123456789012345, 9007199254740992, "1.0"],
    ]);
  });

  it.each(["-0", "1.0", "1e2", "1E2", "12345678901234567", "0.10"])(
    "keeps %s, which a double would spell otherwise",
    (spelling) => {
      expect(parseExactJson(`[${spelling}]`)).toEqual([{ text: spelling }]);
    },
  );
});
