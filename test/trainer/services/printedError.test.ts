import { expect, it } from "vitest";
import { printedError, printedLines } from "../../../src/trainer/services/printedError.ts";

it("a server's lines have no colors, no secrets, and no success messages", () => {
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

it("the last error is the one that ended a program, with its place in the user's own code", () => {
  const lines = [
    '  File "/games/environments/maze/environment.py", line 12, in <module>',
    "    tasks = load_tasks()",
    '  File "/games/environments/maze/.venv/lib/python3.12/site-packages/reader.py", line 3, in load',
    "    raise KeyError(name)",
    '  File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode',
    "KeyError: 'name'",
    "bye",
  ];
  expect(printedError(lines, "/games")).toBe(
    "environments/maze/environment.py:12: KeyError: 'name'",
  );
  expect(printedError(lines, "/others")).toBe("KeyError: 'name'");
  expect(printedError(["no errors"], "/games")).toBeUndefined();
});

it("an error does not have the place of an earlier one", () => {
  const header = "Traceback (most recent call last):";
  const own = [
    header,
    '  File "/w/environment.py", line 12, in step',
    "    1 / 0",
    "ZeroDivisionError: division by zero",
  ];
  const library = '  File "/usr/lib/python3.12/site-packages/anyio/streams.py", line 3, in get';
  const cancelled = "asyncio.exceptions.CancelledError";
  expect(printedError([...own, header, library, cancelled], "/w")).toBe(cancelled);
  expect(printedError([...own, cancelled], "/w")).toBe(cancelled);
  expect(printedError([header, library, cancelled, ...own], "/w")).toBe(
    "environment.py:12: ZeroDivisionError: division by zero",
  );
});

it("a syntax error has its place, also in the program itself, for which Python prints no traceback", () => {
  const error = [
    '  File "/w/environment.py", line 3',
    "    def f(:",
    "          ^",
    "SyntaxError: invalid syntax",
  ];
  const header = "Traceback (most recent call last):";
  const importing = [
    header,
    '  File "/w/server.py", line 1, in <module>',
    "    import environment",
  ];
  const place = "environment.py:3: SyntaxError: invalid syntax";
  expect(printedError([...importing, ...error], "/w")).toBe(place);
  expect(printedError([...importing, "ImportError: no", ...error], "/w")).toBe(place);
});
