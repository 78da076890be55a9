import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJsonLine, findJsonLines, parseJsonLines } from "../../../src/core/util/jsonl.ts";

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

test("lines have their value and byte position", () => {
  const lines = parseJsonLines(encoded('{"a":"ä"}\n\n[1]\n'));
  expect(lines).toEqual([
    { value: { a: "ä" }, offset: 0, length: 10 },
    { value: [1], offset: 12, length: 3 },
  ]);
});

test("null is a value, and a broken line is skipped", () => {
  const lines = parseJsonLines(encoded("null\n{oops\n1\n"));
  expect(lines.map(({ value }) => value)).toEqual([null, 1]);
});

test("a file cut anywhere yields the lines before the cut, and the start of the rest", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.nat(), (values, at) => {
      const parts = values.map((value) => encodeJsonLine(JSON.parse(JSON.stringify(value))));
      const bytes = Buffer.concat(parts);
      const cut = bytes.length === 0 ? 0 : at % (bytes.length + 1);
      const result = findJsonLines(bytes.subarray(0, cut), Number.POSITIVE_INFINITY);
      expect(result.lines.map(({ value }) => JSON.stringify(value))).toEqual(
        values.slice(0, result.lines.length).map((value) => JSON.stringify(value)),
      );
      const whole = parts.slice(0, result.lines.length).reduce((sum, part) => sum + part.length, 0);
      expect(result.completeBytes).toBe(whole);
    }),
  );
});

test("Python's NaN and infinities are read as null, and strings are unchanged", () => {
  const line =
    '{"loss": NaN, "band": [-Infinity, Infinity], "text": "NaN \\" -Infinity", "NaN": 1}\n';
  const lines = parseJsonLines(encoded(line));
  expect(lines.map(({ value }) => value)).toEqual([
    { loss: null, band: [null, null], text: 'NaN " -Infinity', NaN: 1 },
  ]);
  expect(parseJsonLines(encoded("{NaN\nNaNNaN\n"))).toEqual([]);
});
