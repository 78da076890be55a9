import { expect, test, vi } from "vitest";
import {
  commandLine,
  describeInvocation,
  shortPath,
} from "../../../src/cli/terminal/invocation.ts";

test.each([
  ["/home/me/x/dist/trainer/tinker-rl.js", "node dist/trainer/tinker-rl.js"],
  ["/home/me/my x/tinker-rl.js", 'node "../my x/tinker-rl.js"'],
  ["/usr/local/bin/tinker-rl", "tinker-rl"],
  ["/home/me/x/node_modules/.bin/tinker-rl", "npx tinker-rl"],
])("started as %s the program calls itself %s", (path, program) => {
  expect(describeInvocation(path, "/home/me/x").program).toBe(program);
});

test("a path is shown relative to the current folder if that is shorter", () => {
  expect(shortPath("/home/me/runs/a", "/home/me")).toBe("runs/a");
  expect(shortPath("/tmp/a", "/home/me/deep/er")).toBe("/tmp/a");
  expect(shortPath("/home/me", "/home/me")).toBe(".");
});

test("a command can be copied, whatever characters its words contain", () => {
  const invocation = { program: "tinker-rl", cwd: "/" };
  expect(commandLine(invocation, "show", "my runs/a")).toBe('tinker-rl show "my runs/a"');
  expect(commandLine(invocation, "show", "it's $5")).toBe("tinker-rl show 'it'\\''s $5'");
});

test("a command can be copied on Windows, whose paths have backslashes", () => {
  vi.stubGlobal("process", Object.create(process, { platform: { value: "win32" } }));
  const invocation = { program: "tinker-rl", cwd: "/" };
  const command = commandLine(invocation, "show", "C:\\my runs\\a");
  vi.unstubAllGlobals();
  expect(command).toBe('tinker-rl show "C:\\my runs\\a"');
});
