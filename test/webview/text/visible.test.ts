import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foldText,
  visibleLine,
  visiblePieces,
  visibleText,
  visibleToken,
} from "../../../webview-ui/text/visible.ts";

/** Characters that control a terminal or text direction; line feeds, tabs and the joiners of scripts and emoji may stay. */
const ACTING = /(?!\n|\t|\u200c|\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x2fff }), fc.integer({ min: 0, max: 0x10ffff })))
  .map((codes) => String.fromCodePoint(...codes));

describe("untrusted text", () => {
  it("keeps no active characters", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(visibleText(text)).not.toMatch(ACTING);
        expect(visibleLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it("shows control, bidi and ANSI characters as symbols in place", () => {
    expect(visiblePieces("a\u001b[31mb\u202ec\u0000")).toEqual([
      { text: "a", isSymbol: false },
      { text: "ESC", isSymbol: true },
      { text: "[31mb", isSymbol: false },
      { text: "U+202E", isSymbol: true },
      { text: "c", isSymbol: false },
      { text: "NUL", isSymbol: true },
    ]);
  });

  it("leaves ordinary text in any script unchanged", () => {
    const text = "Grüße 👩‍👧 नमस्ते\n\tfine";
    expect(visiblePieces(text)).toEqual([{ text, isSymbol: false }]);
    expect(visibleToken(" a\n")).toBe("·a⏎");
  });
});

describe("folding", () => {
  it("cuts after lines or characters, whichever comes first, and returns null when there is nothing to cut", () => {
    expect(foldText("a\nb\nc\nd", 2, 100)).toBe("a\nb");
    expect(foldText("abcdef", 5, 3)).toBe("abc");
    expect(foldText("a\nb", 5, 100)).toBeNull();
  });
});
