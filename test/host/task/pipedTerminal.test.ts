import { expect, it, vi } from "vitest";
import { pipedTerminal } from "../../../src/host/task/pipedTerminal.ts";

/** The terminal's output for a program, and its exit codes. */
function opened(program: string, script: string) {
  const terminal = pipedTerminal([program, "-e", script], { cwd: ".", env: { OWN: "yes" } });
  const shown: string[] = [];
  const codes: unknown[] = [];
  terminal.onDidWrite((text) => shown.push(text));
  terminal.onDidClose((code) => codes.push(code));
  terminal.open();
  return { terminal, text: () => shown.join(""), codes };
}

it("shows a program's output, with colors, and closes with its code", async () => {
  const { text, codes } = opened(
    process.execPath,
    `const { FORCE_COLOR, OWN } = process.env;
     console.log("\\u001b[32mone\\u001b[39m " + FORCE_COLOR + OWN);
     process.exitCode = 2;`,
  );
  await vi.waitFor(() => expect(codes).toEqual([2]), 10_000);
  expect(text()).toBe("\u001b[32mone\u001b[39m 1yes\r\n");
});

it("interrupts the program on Ctrl+C", async () => {
  const { terminal, text, codes } = opened(
    process.execPath,
    'console.log("begun"); setInterval(() => {}, 1000);',
  );
  await vi.waitFor(() => expect(text()).toBe("begun\r\n"), 10_000);
  terminal.handleInput("\u0003");
  await vi.waitFor(() => expect(codes).toEqual([6]), 10_000);
});

it("reports why a program cannot be started", async () => {
  const { text, codes } = opened("no-such-program", "");
  await vi.waitFor(() => expect(codes).toHaveLength(1), 10_000);
  expect(text()).toBe("spawn no-such-program ENOENT\r\n");
});
