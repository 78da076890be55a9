import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asciiJson,
  cutPieces,
  formatEvent,
  MAX_PIECE_CHARS,
} from "../../../../src/local/environment/server/eventWriter.ts";

const awkwardText = fc
  .array(fc.constantFrom(" ", "   ", "\\", '"', "\n", "😀", "é", "\u00a0", "\u2028", "x", "\u007f"))
  .map((parts) => parts.join(""));

describe("cutPieces", () => {
  it("keeps the value, wherever it is cut, in short ASCII chunks that never start with whitespace", () => {
    fc.assert(
      fc.property(awkwardText, fc.integer({ min: 8, max: 40 }), (text, maxChars) => {
        const pieces = cutPieces(asciiJson({ text }), maxChars);
        expect(JSON.parse(pieces.join(""))).toEqual({ text });
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(maxChars);
          expect(piece).toMatch(/^[!-~][ -~]*$/);
        }
      }),
    );
  });

  it("splits 100 000 spaces at the protocol's limit", () => {
    const text = " ".repeat(100_000);
    const pieces = cutPieces(asciiJson(text));
    expect(JSON.parse(pieces.join(""))).toBe(text);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(MAX_PIECE_CHARS);
  });

  it("gives one empty chunk for no result", () => {
    expect(cutPieces("")).toEqual([""]);
  });
});

describe("formatEvent", () => {
  it("gives every line of the data a separate field", () => {
    expect(formatEvent("error", "one\r\ntwo\n\nthree")).toBe(
      "event: error\ndata: one\ndata: two\ndata: \ndata: three\n\n",
    );
  });
});
