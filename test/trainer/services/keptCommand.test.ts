import { spawn } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runAgentProgram } from "../../../src/trainer/agents/agentProgram.ts";
import { OutputTail, startKeptCommand } from "../../../src/trainer/services/keptCommand.ts";
import { unstartedChild } from "./unstartedChild.ts";

vi.mock("node:child_process", async (original) => ({
  ...(await original<typeof import("node:child_process")>()),
  spawn: vi.fn(),
}));

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

it("a command gets the user's folder and the processor variables on Windows, and none of the user's keys", () => {
  vi.stubEnv("USERPROFILE", "C:\\Users\\ada");
  vi.stubEnv("PROCESSOR_ARCHITECTURE", "AMD64");
  vi.stubEnv("TINKER_API_KEY", "tml-secret");
  vi.mocked(spawn).mockImplementationOnce(unstartedChild);
  const command = { command: ["serve"], cwd: "/", programFolder: "/", variables: {} };
  startKeptCommand({ ...command, onOutput: () => undefined }).once("error", () => undefined);
  const environment = vi.mocked(spawn).mock.lastCall?.[2].env;
  expect(environment).toMatchObject({
    USERPROFILE: "C:\\Users\\ada",
    PROCESSOR_ARCHITECTURE: "AMD64",
  });
  expect(environment).not.toHaveProperty("TINKER_API_KEY");
});

it("Python reads and prints UTF-8 on every system, unless the configuration overrides it", () => {
  const encodings = [{}, { PYTHONUTF8: "0" }].map((variables) => {
    vi.mocked(spawn).mockImplementationOnce(unstartedChild);
    const command = { command: ["serve"], cwd: "/", programFolder: "/", variables };
    startKeptCommand({ ...command, onOutput: () => undefined }).once("error", () => undefined);
    return vi.mocked(spawn).mock.lastCall?.[2].env?.["PYTHONUTF8"];
  });
  expect(encodings).toEqual(["1", "0"]);
});

it("the process in between is not reached by signals to this one's group or console, and outlives it for its work", () => {
  vi.mocked(spawn).mockImplementationOnce(unstartedChild);
  vi.stubGlobal("process", Object.create(process, { platform: { value: "win32" } }));
  const command = { command: ["serve"], cwd: "/", programFolder: "/", variables: {} };
  startKeptCommand({ ...command, onOutput: () => undefined }).once("error", () => undefined);
  expect(vi.mocked(spawn).mock.lastCall?.[2]).toMatchObject({ detached: true });
});

it("a command fails to start when no more files can be opened", async () => {
  vi.mocked(spawn).mockImplementationOnce(unstartedChild);
  const program = runAgentProgram({
    command: ["play"],
    cwd: "/",
    variables: {},
    programFolder: "/",
    configPath: "environments.games.agent.command",
    signal: new AbortController().signal,
    clean: (text) => text,
  });
  await expect(program).rejects.toMatchObject({
    code: "agent-not-started",
    message: expect.stringContaining("spawn EMFILE"),
  });
});

describe("the end of a command's output", () => {
  it("is the whole output if it fits", () => {
    const tail = new OutputTail(20);
    for (const text of ["one\n", "two", " three\n"]) tail.add(text);
    expect(tail.whole).toBe("one\ntwo three\n");
  });

  it("has no partial first line, and says how much is left out", () => {
    const tail = new OutputTail(12);
    for (const text of ["key=secret-", "value\n", "it failed\n"]) tail.add(text);
    expect(tail.whole).toBe("[17 characters before this left out]\nit failed\n");
  });

  it("says that its last line is too long to be kept", () => {
    const tail = new OutputTail(12);
    for (const text of ["one\n", '{"reward": 1, "why": "it is right"}\n']) tail.add(text);
    expect(tail.whole).toBe("[a line longer than 12 characters]");
  });
});
