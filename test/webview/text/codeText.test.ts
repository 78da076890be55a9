// @vitest-environment happy-dom

import { h, render } from "preact";
import { expect, test } from "vitest";
import { CodeText } from "../../../webview-ui/text/codeText.tsx";

test("text between backticks is code, and still untrusted text", () => {
  const place = document.createElement("div");
  render(h(CodeText, { text: "Raise `num_rollouts`, not `<b>\u202e`; a ` alone stays." }), place);
  expect(place.textContent).toBe("Raise num_rollouts, not <b>U+202E; a ` alone stays.");
  expect([...place.children].map(({ localName }) => localName)).toEqual(["code", "code"]);
});
