import fc from "fast-check";
import { expect, test } from "vitest";
import { renderLine, styled } from "../../../src/cli/terminal/line.ts";
import { visibleLine, visibleText, visibleToken } from "../../../src/core/util/visibleText.ts";

test("terminal control sequences become visible characters", () => {
  const hostile = "\u001b]0;title\u0007\u001b[2J\rnew\u009b1m\u202etxt";
  expect(visibleText(hostile)).toBe("␛]0;title␇␛[2J␍new\\u{9b}1m\\u{202e}txt");
});

test("line feeds stay in multi-line text and become symbols in a single line", () => {
  expect(visibleText("a\r\nb\tc")).toBe("a\nb    c");
  expect(visibleLine("a\nb")).toBe("a⏎b");
  expect(visibleToken(" a\t\n")).toBe("·a⇥⏎");
});

test("scripts and emoji that need joiners are unchanged", () => {
  expect(visibleText("नमस्ते 👩‍🔬 ✓")).toBe("नमस्ते 👩‍🔬 ✓");
});

test("no text can bring a control character into a rendered line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const line = renderLine([text, styled("bad", text)], false);
      expect(line).not.toMatch(/\p{Cc}|\p{Cs}/u);
      expect(visibleLine(visibleLine(text))).toBe(visibleLine(text));
    }),
  );
});
