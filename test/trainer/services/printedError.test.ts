import { expect, it } from "vitest";
import { printedError, printedLines } from "../../../src/trainer/services/printedError.ts";

it("the lines of a server have no colors, no secrets, and none of what went well", () => {
  const printed = [
    "\u001b[2m07:13:53Z\u001b[0m [\u001b[32m\u001b[1minfo     \u001b[0m] \u001b[1mrequest_handled\u001b[0m",
    "INFO:     Application startup complete.",
    "",
    "\u001b[2m07:13:54Z\u001b[0m [\u001b[31m\u001b[1merror    \u001b[0m] \u001b[1mtool_call_failed\u001b[0m key=my\u001b[35mkey",
  ];
  const clean = (text: string): string => text.replaceAll("mykey", "[key]");
  expect(printedLines(printed.join("\n"), clean)).toEqual([
    "07:13:54Z [error    ] tool_call_failed key=[key]",
  ]);
});

it("the last error is the one that ended a program", () => {
  const lines = ["KeyError: 'a'", "While that was handled:", "builtins.ValueError: b", "bye"];
  expect(printedError(lines)).toBe("builtins.ValueError: b");
  expect(printedError(["no errors"])).toBeUndefined();
});
