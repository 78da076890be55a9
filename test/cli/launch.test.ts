import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { AppError } from "../../src/core/errors.ts";
import { launchFileSchema } from "../../src/node/control/messages.ts";
import type { LaunchFile } from "../../src/shared/control.ts";
import { anOrder } from "../fakes/anOrder.ts";
import { settle } from "../fakes/fakeClock.ts";
import { aFakeRun, createFakeProgram } from "./fakeProgram.ts";

const launchRequest = anOrder({
  keys: { TINKER_API_KEY: { value: "tml-from-the-store", origin: "store", host: null } },
  allowedOrigins: [{ origin: "https://one.example", key: "TINKER_API_KEY" }],
});

/** A program that an editor starts with `input`. */
function start(input: string | readonly string[]) {
  const { trainer, ...run } = aFakeRun();
  const pieces = typeof input === "string" ? [input] : input;
  const program = createFakeProgram({ trainer, input: Readable.from(pieces) });
  const exit = runProgram(program, ["--launch", "/launches/1"]);
  const record = async (): Promise<LaunchFile> => {
    await settle();
    const text = await program.fileSystem.readText("/launches/1/launch.json");
    return launchFileSchema.parse(JSON.parse(text));
  };
  const begun = () => vi.waitFor(() => expect(run.requests).toHaveLength(1), { timeout: 10_000 });
  return { ...run, program, exit, begun, record };
}

describe("a trainer that an editor starts", () => {
  it("reads its launch request from the first line of its input, however it is split", async () => {
    const text = `${JSON.stringify(launchRequest)}\nanything else`;
    const { requests, exit, end, begun } = start([text.slice(0, 30), text.slice(30)]);
    await begun();
    expect(requests[0]).toMatchObject({
      owner: "editor",
      configPath: "a.yaml",
      launch: { launchRequest },
    });
    end({ outcome: "done", folder: null });
    expect(await exit).toBe(0);
  });

  it("reports each phase as it begins, and finally how the run ended", async () => {
    const { requests, exit, end, begun, record } = start(`${JSON.stringify(launchRequest)}\n`);
    await begun();
    const launch = requests[0]?.launch;
    const control = { address: "/tmp/s", tokenPath: "/tmp/t" };
    const nothing = { schemaVersion: 1, pid: process.pid, exitCode: null, error: null };
    launch?.onPlace({ control });
    expect(await record()).toEqual({ ...nothing, control, folder: null });
    launch?.onPlace({ folder: "/runs/demo" });
    expect(await record()).toEqual({ ...nothing, control, folder: "/runs/demo" });
    end({ outcome: "stopped", folder: "/runs/demo" });
    expect(await exit).toBe(3);
    const last = { ...nothing, control: null, folder: "/runs/demo", exitCode: 3 };
    expect(await record()).toEqual(last);
  });

  it("reports errors, with data that helps an editor to fix them", async () => {
    const { exit, fail, record } = start(`${JSON.stringify(launchRequest)}\n`);
    const data = { key: "TINKER_API_KEY", host: "https://stranger.example", other: 1 };
    fail(new AppError("key-host-not-allowed", "It would go astray.", { data }));
    expect(await exit).toBe(2);
    expect(await record()).toMatchObject({
      exitCode: 2,
      error: {
        code: "key-host-not-allowed",
        message: "It would go astray.",
        key: "TINKER_API_KEY",
        host: "https://stranger.example",
      },
    });
  });

  it("reports which setting may help, and marks its key even if a name has dots", async () => {
    const { exit, fail, record } = start(`${JSON.stringify(launchRequest)}\n`);
    const path = ["environments", "Owner/Game-1.5", "max_concurrency"];
    const edits = [{ path, value: 6 }];
    fail(new AppError("run-capacity", "Full.", { configPath: path.join("."), data: { edits } }));
    expect(await exit).toBe(4);
    expect(await record()).toMatchObject({ error: { code: "run-capacity", keys: path, edits } });
  });

  it("never writes its launch request to disk", async () => {
    const { program, exit, end, begun, requests } = start(`${JSON.stringify(launchRequest)}\n`);
    await begun();
    requests[0]?.launch?.onPlace({ folder: "/runs/demo" });
    end({ outcome: "done", folder: null });
    await exit;
    const text = await program.fileSystem.readText("/launches/1/launch.json");
    expect(text).not.toContain("tml-from-the-store");
    expect([...program.out.lines, ...program.err.lines].join()).not.toContain("tml-from");
  });

  it("keeps running when its record cannot be written to the disk", async () => {
    const { program, exit, end } = start(`${JSON.stringify(launchRequest)}\n`);
    Object.assign(program.fileSystem, {
      writeAtomic: () => Promise.reject(new AppError("disk", "No space.")),
    });
    end({ outcome: "done", folder: null });
    expect(await exit).toBe(0);
  });

  it.each([
    ["nothing", ""],
    ["words", "hello\n"],
    ["an order of another version", `${JSON.stringify({ ...launchRequest, version: 2 })}\n`],
    ["keys without hosts", `${JSON.stringify({ ...launchRequest, keys: { A: "b-secret" } })}\n`],
    ["a line without end", "x".repeat(2 * 1024 * 1024)],
  ])("does not start with %s, and quotes none of it", async (_, input) => {
    const { program, requests, exit, record } = start(input);
    expect(await exit).toBe(2);
    expect(requests).toEqual([]);
    expect(program.err.lines.join()).toMatch(/--launch is for editors/);
    const { exitCode, error } = await record();
    expect({ exitCode, code: error?.code }).toEqual({ exitCode: 2, code: "bad-arguments" });
    expect(JSON.stringify(error)).not.toContain("b-secret");
  });
});
