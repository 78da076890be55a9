import { ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { CleanupStack } from "../../../src/trainer/services/cleanupStack.ts";
import { startManagedServer } from "../../../src/trainer/services/managedServer.ts";
import { FakeHttp } from "../../fakes/fakeHttp.ts";
import { unstartedChild } from "./unstartedChild.ts";

vi.mock("node:child_process", async (original) => ({
  ...(await original<typeof import("node:child_process")>()),
  spawn: vi.fn(),
}));

let cleanup = new CleanupStack();
const crashes: string[] = [];

afterEach(async () => {
  crashes.length = 0;
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await cleanup.closeAll();
  cleanup = new CleanupStack();
});

async function start(http = new FakeHttp(() => ({}))): Promise<void> {
  await startManagedServer({
    environment: "games",
    server: {
      kind: "command",
      command: ["serve"],
      url: null,
      bridge: null,
      id: null,
      args: null,
      python: null,
      environment: null,
      cwd: null,
      env: {},
      headers: null,
      ready_timeout: 60,
    },
    folder: "/",
    variables: {},
    programs: { folder: "/" },
    http,
    onOutput: () => undefined,
    onCrash: (what, said) => crashes.push(`${what}${said}`),
    clean: (text) => text,
    cleanup,
    signal: new AbortController().signal,
  });
}

it("reports the beginning of a long error, with its place", async () => {
  const child = new ChildProcess();
  const place = '  File "/w/environment.py", line 12, in step';
  child.stdout = Readable.from([`${place}\nKeyError: '${"x".repeat(2_000)}'\n`]);
  vi.mocked(spawn).mockReturnValueOnce(child);
  await Promise.all([start(), once(child.stdout, "end")]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  child.emit("close", 1, null);
  await nextTurn();
  expect(crashes).toEqual([
    expect.stringMatching(/It printed: w\/environment\.py:12: KeyError: 'x{400,600}$/),
  ]);
});

it("restarts a crashed server until that succeeds, even while no more files can be opened", async () => {
  const first = new ChildProcess();
  first.stdout = Readable.from([
    "[\u001b[32minfo\u001b[0m] started\n\u001b[31mout of memory\u001b[0m\n",
  ]);
  vi.mocked(spawn).mockReturnValueOnce(first).mockImplementation(unstartedChild);
  await Promise.all([start(), once(first.stdout, "end")]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  first.emit("close", 1, null);
  for (const waitMs of [1_000, 2_000]) {
    await nextTurn();
    vi.advanceTimersByTime(waitMs);
  }
  await nextTurn();
  expect(crashes).toEqual([
    "The server of games ended with code 1; it is started again in 1 s. It printed: out of memory",
    "The server of games cannot be started: spawn EMFILE; it is started again in 2 s.",
    "The server of games cannot be started: spawn EMFILE; it is started again in 4 s.",
  ]);
});

it("rejects a script on Windows with a hint to name its interpreter", async () => {
  vi.stubGlobal("process", Object.create(process, { platform: { value: "win32" } }));
  vi.mocked(spawn).mockImplementation(() => {
    const child = new ChildProcess();
    process.nextTick(() => child.emit("close", 253, null));
    return child;
  });
  const silent = new FakeHttp(() => ({ status: 503 }));
  await expect(start(silent)).rejects.toThrow(
    "no program serve on the path, or none that can be started from /. Windows starts no scripts, such as those that npm installs: name what runs it, as in `[node, cli.js]` or `[cmd, /c, npx]`.",
  );
});
