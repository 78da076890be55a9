import { expect, it } from "vitest";
import { relativeTime } from "../../../webview-ui/text/relativeTime.ts";

it.each([
  [-181, "3 minutes ago"],
  [-3_599, "1 hour ago"],
  [24 * 3_600, "in 1 day"],
  [5.9 * 3_600, "in 5 hours"],
  [-20, null],
])("%d seconds from now are “%s”", (seconds, text) => {
  expect(relativeTime(seconds * 1_000, "en")).toBe(text);
});
