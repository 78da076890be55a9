import { afterEach, expect, test, vi } from "vitest";
import { errorLines, exitCodeOf } from "../../../src/cli/terminal/exitCode.ts";
import { renderLine } from "../../../src/cli/terminal/line.ts";
import { AppError } from "../../../src/core/errors.ts";
import { tinkerError } from "../../../src/core/tinker/transport/errors.ts";

afterEach(() => vi.restoreAllMocks());

test.each([
  ["config-invalid", 2],
  ["config-not-found", 2],
  ["bad-arguments", 2],
  ["run-in-use", 2],
  ["state-format", 2],
  ["file-not-found", 2],
  ["key-missing", 2],
  ["environment-not-found", 2],
  ["environment-capacity", 4],
  ["cost-budget", 4],
  ["tinker-unavailable", 5],
  ["environment-protocol", 5],
  ["transport", 5],
  ["local-service", 5],
  ["player-failed", 5],
  ["stopped", 3],
  ["disk", 1],
  ["invariant", 1],
] as const)("an error with code %s ends the program with %i", (code, exitCode) => {
  expect(exitCodeOf(new AppError(code, "It failed."))).toBe(exitCode);
});

test("an error about a key of the configuration counts as an invalid configuration", () => {
  const error = new AppError("environment-not-found", "No x.", { configPath: "environments.x" });
  expect(exitCodeOf(error)).toBe(2);
});

test("a thrown value that is no AppError is a bug", () => {
  expect(exitCodeOf(new TypeError("x is undefined"))).toBe(1);
});

test("an expected error is one line without a stack", () => {
  const error = tinkerError("tinker-auth", "Tinker answered 401:\nno \u001b[31mkey");
  expect(plain(error, false)).toEqual([
    "error: Tinker answered 401: no ␛[31mkey. Check that the key is valid and may use this model or checkpoint.",
  ]);
  expect(plain(error, true).join("\n")).toContain("exitCode.test.ts");
});

test("problems of a configuration keep their lines, which editors parse", () => {
  const text = "a.yaml:1:2: error: Wrong. (lr)\na.yaml:3:1: warning: Odd.";
  expect(plain(new AppError("config-invalid", text), false)).toEqual(text.split("\n"));
});

test("problems of a configuration keep their lines even if a warning comes first", () => {
  const text = "--overrides seed=1: warning: Odd.\na.yaml:1:2: error: Wrong. (lr)";
  expect(plain(new AppError("config-invalid", text), false)).toEqual(text.split("\n"));
});

test.each([
  new RangeError("WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory"),
  new AppError(
    "local-service",
    "It did not start: WebAssembly.Memory(): could not allocate memory",
  ),
])("a lack of memory is not a bug, and on Linux names the possible limit", (error) => {
  const platform = vi.spyOn(process, "platform", "get");
  platform.mockReturnValue("linux");
  expect(plain(error, false)).toEqual([
    `error: ${error.message}. Close other programs, or raise the limit of memory with \`ulimit -v\`.`,
  ]);
  platform.mockReturnValue("win32");
  expect(plain(error, false)).toEqual([`error: ${error.message}. Close other programs.`]);
});

test("a server that is out of memory is not blamed on this computer's limits", () => {
  const error = new AppError("tinker-request-failed", "CUDA out of memory. Lower batch_size.");
  expect(plain(error, false)).toEqual([`error: ${error.message}`]);
});

test("a bug shows its stack and is labeled as one", () => {
  const lines = plain(new TypeError("x is undefined"), false);
  expect(lines[0]).toBe("error: This is a bug in Tinker RL, not in your setup: x is undefined");
  expect(lines.join("\n")).toContain("exitCode.test.ts");
});

function plain(error: unknown, isDebug: boolean): readonly string[] {
  return errorLines(error, isDebug).map((line) => renderLine(line, false));
}
