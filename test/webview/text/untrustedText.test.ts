// @vitest-environment happy-dom

import { h } from "preact";
import { describe, expect, it } from "vitest";
import { FoldedText } from "../../../webview-ui/text/foldedText.tsx";
import { UntrustedText } from "../../../webview-ui/text/untrustedText.tsx";
import { drawn } from "../drawn.ts";

const HTML =
  '<img src=x onerror="alert(1)"><script>alert(2)</script><a href="javascript:alert(3)">x</a>';

describe("hostile text", () => {
  it("is drawn as text, never as elements", () => {
    const { place } = drawn(h(UntrustedText, { text: HTML }));
    expect(place.textContent).toBe(HTML);
    expect(place.children).toHaveLength(0);
  });

  it("shows active characters as visible symbols", () => {
    const { place } = drawn(h(UntrustedText, { text: "a\u202eb" }));
    expect(place.querySelector(".sign")?.textContent).toBe("U+202E");
  });

  it("is bounded: a huge line is folded, and earlier truncation is shown", () => {
    const { place } = drawn(h(FoldedText, { content: { text: "x".repeat(50_000), omitted: 7 } }));
    expect(place.querySelector(".plain-text")?.textContent).toHaveLength(4_000);
    expect(place.querySelector("button")?.textContent).toContain("50,000 characters");
    expect(place.textContent).toContain("7 more characters");
  });
});
