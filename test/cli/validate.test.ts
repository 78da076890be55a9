import { resolve } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { textWith } from "../core/config/configText.ts";
import { createFakeProgram } from "./fakeProgram.ts";

async function validate(text: string, ...flags: readonly string[]) {
  const program = createFakeProgram();
  await program.fileSystem.writeAtomic(resolve("run.yaml"), text);
  const exitCode = await runProgram(program, ["validate", "run.yaml", ...flags]);
  return { exitCode, lines: program.out.lines, errors: program.err.lines };
}

test("a valid configuration is reported as valid", async () => {
  expect(await validate(textWith())).toEqual({
    exitCode: 0,
    lines: ["run.yaml is valid"],
    errors: [],
  });
});

test("a program gets each finding with its place, and of an override the key alone", async () => {
  const flags = ["--json", "--overrides", "seed=tml-a-secret"];
  const { exitCode, lines } = await validate(textWith("save_every: -1"), ...flags);
  expect(exitCode).toBe(2);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    format: "tinker-rl.validation/1",
    configPath: "run.yaml",
    isValid: false,
    problems: [
      { severity: "error", key: ["seed"], line: null, column: null, override: "seed" },
      { severity: "error", key: ["save_every"], line: 8, column: 13, override: null },
    ],
  });
});

test("warnings are printed at their place and do not make it invalid", async () => {
  const { exitCode, lines } = await validate(textWith("learning_rate: 0"), "--seed=7");
  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^run\.yaml:8:16: warning: /),
    "run.yaml is valid, with 1 warning",
  ]);
});

test("errors are printed on standard output, each with its place, and give exit code 2", async () => {
  const { exitCode, lines } = await validate(
    textWith("seed: x", "save_every: -1"),
    "--overrides",
    "batch_size=0",
  );
  expect(exitCode).toBe(2);
  expect(lines.map((line) => line.split(": ").slice(0, 2))).toEqual([
    ["--overrides batch_size=0", "error"],
    ["run.yaml:8:7", "error"],
    ["run.yaml:9:13", "error"],
  ]);
});

test("a file that is not there is one error line", async () => {
  const program = createFakeProgram();
  expect(await runProgram(program, ["validate", "nowhere.yaml"])).toBe(2);
  expect(program.err.lines).toEqual([expect.stringMatching(/^nowhere\.yaml: error: /)]);
});
