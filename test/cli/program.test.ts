import { describe, expect, it, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { AppError } from "../../src/core/errors.ts";
import type { RunEnd } from "../../src/trainer/plan/types.ts";

import {
  aFakeRun,
  aService,
  aTrainer,
  createFakeProgram,
  started,
  stepFinished,
  underWay,
} from "./fakeProgram.ts";

test.each([
  ["done", 0],
  ["stopped", 3],
  ["interrupted", 6],
] as const)("a run that is %s ends the program with %i", async (outcome, exitCode) => {
  const run = aFakeRun();
  const program = createFakeProgram({ trainer: run.trainer });
  const exit = runProgram(program, ["a.yaml"]);
  run.end({ outcome, folder: "runs/demo" });
  expect(await exit).toBe(exitCode);
});

test("a run is started for the terminal, and its reports are shown", async () => {
  const run = aFakeRun();
  const program = createFakeProgram({ trainer: run.trainer });
  const exit = runProgram(program, ["train", "a.yaml"]);
  await underWay(program);
  const request = run.requests[0];
  expect(request).toMatchObject({ configPath: "a.yaml", owner: "terminal" });
  request?.watch(started());
  request?.watch(stepFinished());
  run.end({ outcome: "done", folder: "/home/me/runs/demo" });
  await exit;
  expect(program.out.lines[0]).toBe("run           demo");
  expect(program.out.lines.at(-1)).toContain("step 12/40");
});

test("overrides and allowed hosts reach the trainer", async () => {
  const run = aFakeRun();
  const program = createFakeProgram({ trainer: run.trainer });
  const exit = runProgram(program, ["a.yaml", "--seed=7", "--allow-host", "one.example"]);
  run.end({ outcome: "done", folder: null });
  await exit;
  const allowedOrigins = [{ origin: "https://one.example", key: null }];
  expect(run.requests[0]).toMatchObject({ overrides: ["seed=7"], allowedOrigins });
});

test("the first interrupt stops and saves, the second ends immediately, the third is not caught", async () => {
  const run = aFakeRun();
  const program = createFakeProgram({ trainer: run.trainer });
  const exit = runProgram(program, ["a.yaml"]);
  await underWay(program);
  run.requests[0]?.watch(started({ step: 3 }));
  program.interrupt();
  expect(run.calls).toEqual(["stopAndSave"]);
  expect(program.out.lines.at(-1)).toBe(
    "stopping: the last completed step is saved; press Ctrl+C again to end immediately",
  );
  program.interrupt();
  expect(run.calls).toEqual(["stopAndSave", "stopNow"]);
  expect(program.listeners.size).toBe(0);
  run.end({ outcome: "interrupted", folder: null });
  expect(await exit).toBe(6);
  expect(program.out.lines).toContain("resume        tinker-rl resume runs/demo");
});

test("a failed run prints one line on stderr and the command to resume it", async () => {
  const run = aFakeRun();
  const program = createFakeProgram({ trainer: run.trainer });
  const exit = runProgram(program, ["a.yaml"]);
  await underWay(program);
  run.requests[0]?.watch(started({ step: 3 }));
  run.fail(new AppError("tinker-unavailable", "No answer. Resume the run."));
  expect(await exit).toBe(5);
  expect(program.err.lines).toEqual(["error: No answer. Resume the run."]);
  expect(program.out.lines).toContain("resume        tinker-rl resume runs/demo");
  expect(program.listeners.size).toBe(0);
});

test("invalid arguments end the program with 2 and one line", async () => {
  const program = createFakeProgram();
  expect(await runProgram(program, ["train", "--confg_path", "a.yaml"])).toBe(2);
  expect(program.err.lines).toEqual([
    "error: Unknown flag --confg_path. Did you mean --config_path? `tinker-rl train --help` explains the command line.",
  ]);
});

test("invalid arguments point to the help by the command that started the program", async () => {
  const program = createFakeProgram({
    invocation: { program: "node dist/trainer/tinker-rl.js", cwd: "/work" },
  });
  expect(await runProgram(program, ["show", "runs/demo", "--stp", "1"])).toBe(2);
  expect(await runProgram(program, ["walk"])).toBe(2);
  expect(program.err.lines[0]).toContain("`node dist/trainer/tinker-rl.js show --help` explains");
  expect(program.err.lines[1]).toContain("`node dist/trainer/tinker-rl.js --help` explains");
});

test("the version is printed without other text", async () => {
  const program = createFakeProgram();
  expect(await runProgram(program, ["--version"])).toBe(0);
  expect(program.out.lines).toEqual(["1.2.3"]);
});

test.each([
  [[]],
  ...["train", "resume", "validate", "runs", "show", "env", "serve", "sweep"].map((name) => [
    [name],
  ]),
  ...["control", "report", "export", "checkpoints", "serve-model", "mcp"].map((name) => [[name]]),
])("help for %j fits a window and gives an example", async (command) => {
  const program = createFakeProgram();
  expect(await runProgram(program, [...command, "--help"])).toBe(0);
  expect(program.out.lines.some((line) => line.startsWith("  tinker-rl "))).toBe(true);
  expect(Math.max(...program.out.lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

/** Services on two ports, one of which may fail. */
function aServing() {
  const { serving, ...service } = aService();
  const trainer = aTrainer({
    serve: async ({ tinkerPort }) => ({
      ...service,
      tinkerUrl: `http://127.0.0.1:${tinkerPort}`,
      environmentsUrl: "http://127.0.0.1:9",
      key: "tml-local-1",
    }),
  });
  return { serving, program: createFakeProgram({ trainer }) };
}

test("serve prints addresses and key until an interrupt closes the services", async () => {
  const { serving, program } = aServing();
  const exit = runProgram(program, ["serve", "--tinker_port", "8001"]);
  await underWay(program);
  expect(program.out.lines).toEqual(
    expect.arrayContaining([
      "  export TINKER_BASE_URL=http://127.0.0.1:8001",
      "  export TINKER_API_KEY=tml-local-1",
      "  export OPENREWARD_API_URL=http://127.0.0.1:9",
      "  export OPENREWARD_SESSION_URL=http://127.0.0.1:9",
    ]),
  );
  expect(serving.isClosed).toBe(false);
  program.interrupt();
  expect(await exit).toBe(0);
  expect(serving.isClosed).toBe(true);
});

test("serve warns that weights under the name of a model are random", async () => {
  const { program } = aServing();
  const exit = runProgram(program, ["serve", "--model", "Qwen/Qwen3-8B", "--tokenizer", "./here"]);
  await underWay(program);
  expect(program.out.lines[0]).toContain("The weights are random");
  expect(program.out.lines).toEqual(
    expect.arrayContaining([
      expect.stringContaining("This is not Qwen/Qwen3-8B"),
      "  model_name: Qwen/Qwen3-8B",
      "  tokenizer_name: ./here",
    ]),
  );
  program.interrupt();
  expect(await exit).toBe(0);
});

test("serve ends with the reason when one of its services does, and stops the others", async () => {
  const { serving, program } = aServing();
  const exit = runProgram(program, ["serve"]);
  await underWay(program);
  serving.fail(new AppError("local-service", "The embedded engine ended unexpectedly (SIGKILL)."));
  expect(await exit).toBe(5);
  expect(program.err.lines.join("\n")).toContain("The embedded engine ended unexpectedly");
  expect(serving.isClosed).toBe(true);
});

/** The program's output for a run that ends without its own message. */
async function linesOf(end: RunEnd) {
  const program = createFakeProgram({
    trainer: aTrainer({
      startTraining: ({ watch }) => {
        watch(started({ step: 3 }));
        return { ended: Promise.resolve(end), stopAndSave: () => 0, stopNow: () => 0 };
      },
    }),
  });
  await runProgram(program, ["a.yaml"]);
  return program.out.lines;
}

describe("the final lines of a run", () => {
  it.each([
    ["interrupted", "stopped immediately, without saving"],
    ["stopped", "stopped; there was nothing left to save"],
  ] as const)("that is %s say that it was stopped, and how to resume", async (outcome, words) => {
    const lines = await linesOf({ outcome, folder: null });
    expect(lines.slice(-4)).toContain(words);
    expect(lines).toContain("resume        tinker-rl resume runs/demo");
  });

  it("that is done do not mention a stop", async () => {
    expect((await linesOf({ outcome: "done", folder: null })).join("\n")).not.toMatch(/stopped/);
  });
});
