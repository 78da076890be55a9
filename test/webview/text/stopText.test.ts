import { expect, it } from "vitest";
import { stopText } from "../../../webview-ui/text/stopText.ts";

it.each([
  ["reached_terminal_state", "finished"],
  ["a_later_reason", "a later reason"],
  ["constructor", "constructor"],
])("%s is shown as %s", (stop, text) => {
  expect(stopText(stop)).toBe(text);
});
