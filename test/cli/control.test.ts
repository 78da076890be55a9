import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseArguments } from "../../src/cli/arguments/arguments.ts";
import { type ControlOptions, controlRun } from "../../src/cli/control.ts";
import { renderLine } from "../../src/cli/terminal/line.ts";
import { AppError } from "../../src/core/errors.ts";
import { writeRunFile } from "../../src/core/runFolder/runLease.ts";
import type { ControlCommand, RunStatus } from "../../src/shared/control.ts";
import type { RunFile } from "../../src/shared/runFile.ts";
import { ControlServer } from "../../src/trainer/control/controlServer.ts";
import { INITIAL_STATUS } from "../../src/trainer/control/runStatus.ts";
import { aRunFile } from "../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../fakes/fakeClock.ts";

const folder = "/home/me/runs/demo";
const clock = new FakeClock();
let server: ControlServer;
let status: RunStatus;
let commands: ControlCommand[];
let execute: (command: ControlCommand) => Promise<string>;
let options: ControlOptions;

beforeEach(async () => {
  commands = [];
  status = { ...INITIAL_STATUS, phase: "running", step: 12, totalSteps: 40 };
  execute = async () => "The run continues.";
  server = await ControlServer.start({
    clock,
    status: () => status,
    execute: (command) => {
      commands.push(command);
      return execute(command);
    },
  });
  options = {
    clock,
    fileSystem: createMemoryFileSystem(),
    invocation: { program: "tinker-rl", cwd: "/home/me" },
    isProcessAlive: () => true,
  };
});

afterEach(() => server.close());

async function writeRun(changes: Partial<RunFile> = {}): Promise<void> {
  await writeRunFile(
    options.fileSystem.within(folder),
    folder,
    aRunFile({
      pid: 7,
      heartbeatAtMs: clock.now(),
      phase: "running",
      configPath: "/home/me/run.yaml",
      control: server.address,
      ...changes,
    }),
  );
}

async function control(...words: readonly string[]): Promise<readonly string[]> {
  const command = parseArguments(["control", "runs/demo", ...words]);
  if (command.kind !== "control") throw new Error("the words are no command");
  const lines = await controlRun(options, command);
  return lines.map((line) => renderLine(line, false));
}

describe("control", () => {
  it.each(["pause", "continue", "save", "stop", "stop-now"])(
    "sends the command %s and prints the answer",
    async (action) => {
      await writeRun();
      expect(await control(action)).toEqual(["The run continues."]);
      expect(commands.at(-1)).toMatchObject({ action });
    },
  );

  it("sends settings exactly as written", async () => {
    await writeRun();
    await control("set", "learning_rate=5e-4", 'environments."a/b".max_turns=3');
    const settings = ["learning_rate=5e-4", 'environments."a/b".max_turns=3'];
    expect(commands).toMatchObject([{ action: "change-settings", settings }]);
  });

  it("prints each line of an answer as one line", async () => {
    await writeRun();
    execute = async () => "A warning.\nThe run continues.";
    expect(await control("continue")).toEqual(["A warning.", "The run continues."]);
  });

  it("reports the status of a run", async () => {
    await writeRun();
    execute = async () => "";
    expect(await control("status")).toEqual(["running  12 of 40 steps completed"]);
    status = { ...status, phase: "paused", totalSteps: null };
    expect(await control("status")).toEqual(["paused  12 steps completed"]);
  });

  it("reports it as JSON, too, which is for status alone", async () => {
    await writeRun();
    status = { ...status, rollouts: { done: 3, total: 8 }, rewardMean: 0.25 };
    const [line = ""] = await control("status", "--json");
    expect(JSON.parse(line)).toEqual({
      format: "tinker-rl.status/1",
      folder,
      phase: "running",
      preparing: null,
      steps: 12,
      totalSteps: 40,
      rollouts: { done: 3, total: 8 },
      evaluated: null,
      reward: 0.25,
    });
    await expect(control("pause", "--json")).rejects.toThrow("--json is for status");
  });

  it("reports a refusal", async () => {
    await writeRun();
    execute = () => Promise.reject(new AppError("config-not-tunable", "seed cannot change."));
    await expect(control("set", "seed=1")).rejects.toMatchObject({
      code: "config-not-tunable",
      message: "seed cannot change.",
    });
  });

  it("reports a folder without a run", async () => {
    await expect(control("pause")).rejects.toMatchObject({
      code: "run-not-found",
      message: expect.stringContaining("does not exist. Choose a run folder."),
    });
  });

  it.each<[string, Partial<RunFile>]>([
    ["has ended", { phase: "stopped", control: null }],
    ["has a trainer that writes no heartbeat", { heartbeatAtMs: clock.now() - 60_000 }],
    ["cannot be controlled", { control: null }],
  ])("says how to continue a run that %s", async (_, changes) => {
    await writeRun(changes);
    await expect(control("pause")).rejects.toMatchObject({
      code: "run-not-running",
      message: expect.stringContaining("tinker-rl resume runs/demo"),
    });
  });

  it("reports a run whose trainer was killed as interrupted", async () => {
    await writeRun();
    options = { ...options, isProcessAlive: () => false };
    await expect(control("status")).rejects.toThrow("not being trained now (interrupted)");
  });

  it("reports a trainer that does not answer", async () => {
    await writeRun();
    await server.close();
    await expect(control("pause")).rejects.toMatchObject({ code: "run-not-reachable" });
  });
});

describe("the arguments of control", () => {
  it.each([
    [["control"], /needs the run folder and an action/],
    [["control", "runs/demo"], /needs the run folder and an action/],
    [["control", "runs/demo", "paus"], /Unknown action "paus"\. Did you mean pause\?/],
    [["control", "runs/demo", "pause", "now"], /unexpected argument "now"/],
    [["control", "runs/demo", "set"], /set needs at least one KEY=VALUE/],
    [["control", "runs/demo", "set", "learning_rate", "1"], /"learning_rate" is not KEY=VALUE/],
  ])("%j are rejected", (words, message) => {
    expect(() => parseArguments(words)).toThrow(message);
  });
});
