import { ChildProcess, spawn } from "node:child_process";
import { expect, it, vi } from "vitest";
import { startedCommand } from "../../src/node/startedCommand.ts";

vi.mock("node:child_process", async (original) => ({
  ...(await original<typeof import("node:child_process")>()),
  spawn: vi.fn(),
}));

/** Behaves like a system that has only `programs`, and no scripts. */
function onSystemWith(programs: readonly string[]): void {
  vi.mocked(spawn).mockImplementation((program) => {
    const fault = (code: string) => Object.assign(new Error(`spawn ${program} ${code}`), { code });
    if (program.endsWith(".cmd")) throw fault("EINVAL");
    const child = new ChildProcess();
    process.nextTick(() =>
      programs.includes(program) ? child.emit("spawn") : child.emit("error", fault("ENOENT")),
    );
    return child;
  });
}

it("a command has no window of its own on Windows", async () => {
  onSystemWith(["serve"]);
  await startedCommand(["serve", "--port", "1"], { stdio: "inherit" });
  const options = { stdio: "inherit", windowsHide: true };
  expect(vi.mocked(spawn).mock.lastCall).toEqual(["serve", ["--port", "1"], options]);
});

it("`python` is python3 if there is no other", async () => {
  onSystemWith(["python3"]);
  await startedCommand(["python", "agent.py"], {});
  expect(vi.mocked(spawn).mock.lastCall?.slice(0, 2)).toEqual(["python3", ["agent.py"]]);
});

it.each([
  ["python", "spawn python ENOENT"],
  ["codex", "spawn codex ENOENT"],
  ["codex.cmd", "spawn codex.cmd EINVAL"],
])("reports why %s cannot be started: missing, or not a program", async (program, why) => {
  onSystemWith([]);
  await expect(startedCommand([program], {})).rejects.toThrow(why);
});
