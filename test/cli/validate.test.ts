import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { textWith, textWithEnvironment } from "../core/config/configText.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { createFakeProgram } from "./fakeProgram.ts";

afterEach(() => vi.unstubAllEnvs());

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

test("with --json each finding has its position, and for an override only the key", async () => {
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

test("warnings are printed with their position and do not make it invalid", async () => {
  const { exitCode, lines } = await validate(textWith("learning_rate: 0"), "--seed=7");
  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^run\.yaml:8:16: warning: /),
    "run.yaml is valid, with 1 warning",
  ]);
});

test("a secret that is not set anywhere is reported, because the run would not start", async () => {
  const text = textWith("secrets: { openai_api_key: null, token: written, none: '' }");
  vi.stubEnv("OPENAI_API_KEY", "");
  const { exitCode, lines } = await validate(text);
  expect(exitCode).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/warning: .*OPENAI_API_KEY is set neither .*\(secrets\.openai_api_key\)/),
    "run.yaml is valid, with 1 warning",
  ]);
  vi.stubEnv("OPENAI_API_KEY", "sk-1");
  expect((await validate(text)).lines).toEqual(["run.yaml is valid"]);
});

test.each([
  ["every environment has of its own", textWithEnvironment("secrets: { pin: '1' }")],
  [
    "no environment gets, as the run has none",
    "model_name: Qwen/Qwen3-8B\nmethod: sft\nbatch_size: 1\nmax_steps: 1\ndata: [{ path: rows.jsonl }]",
  ],
])("a secret that %s is not reported as missing", async (_why, text) => {
  vi.stubEnv("PIN", "");
  const { lines } = await validate(`${text}\nsecrets: { pin: null }\n`);
  expect(lines.filter((line) => /PIN|TRL1/.test(line))).toEqual([]);
});

test("errors are printed on standard output with their position, and give exit code 2", async () => {
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

test("a missing embedded model, environment or split makes it invalid", async () => {
  const text = textWith("lora_rank: 128", "evaluation: {splits: {local/depot: [tset]}}")
    .replace("Qwen/Qwen3-8B", "local/tiny-tool")
    .replace("Owner/Game", "local/calculator")
    .replace("train:", "tran: {}");
  const { exitCode, lines } = await validate(text);
  expect(exitCode).toBe(2);
  expect(lines).toEqual([
    expect.stringMatching(/^run\.yaml:7:7: error: TRL301 .*`tran`/),
    expect.stringMatching(/^run\.yaml:8:12: error: TRL302 .*at most 64/),
    expect.stringMatching(/^run\.yaml:9:\d+: error: TRL301 .*`tset`/),
  ]);
  const misspelled = text.replace("tiny-tool", "tiny-tol");
  expect((await validate(misspelled)).lines[0]).toMatch(/TRL302 .*Did you mean `local\/tiny-tool`/);
});

test("a missing file is reported in one line", async () => {
  const program = createFakeProgram();
  expect(await runProgram(program, ["validate", "nowhere.yaml"])).toBe(2);
  expect(program.err.lines).toEqual([expect.stringMatching(/^nowhere\.yaml: error: /)]);
});

test("rows of a dataset are validated, with the line of each problem in the data file", async () => {
  const program = createFakeProgram();
  const text = textWithEnvironment("tasks: data/q.jsonl").replace("Owner/Game", "local/dataset");
  const rows = Array.from({ length: 12 }, (_, index) => `{"question":"q${index}","answer":""}\n`);
  const file = resolve("data/q.jsonl");
  await program.fileSystem.writeAtomic(resolve("run.yaml"), text);
  await program.fileSystem.writeAtomic(file, rows.join(""));
  expect(await runProgram(program, ["validate", "run.yaml"])).toBe(2);
  expect(program.out.lines).toHaveLength(12);
  expect(program.out.lines.at(-1)).toBe(
    `${file}:12:1: error: TRL222 row 12, answer: is empty (environments.local/dataset.tasks)`,
  );
  await runProgram(program, ["validate", "run.yaml", "--json"]);
  expect(JSON.parse(program.out.lines.at(-1) ?? "")).toMatchObject({
    isValid: false,
    problems: expect.arrayContaining([
      expect.objectContaining({ key: ["environments", "local/dataset", "tasks"], code: "TRL222" }),
    ]),
  });
});

test("a split that is trained or evaluated needs a row in the data file", async () => {
  const program = createFakeProgram();
  const text = textWithEnvironment("tasks: q.jsonl").replace("Owner/Game", "local/dataset");
  const evaluated = `${text}evaluation: { splits: { local/dataset: [test] } }\n`;
  await program.fileSystem.writeAtomic(resolve("run.yaml"), evaluated);
  const row = { question: "q", answer: "a", split: "train" };
  await program.fileSystem.writeAtomic(resolve("q.jsonl"), JSON.stringify(row));
  expect(await runProgram(program, ["validate", "run.yaml"])).toBe(2);
  expect(program.out.lines).toEqual([
    `${resolve("q.jsonl")}: error: TRL222 no row is in the split test; there is train (environments.local/dataset.tasks)`,
  ]);
});

test("a supervised run needs rows only for the splits that it evaluates", async () => {
  const program = createFakeProgram();
  const text = `method: sft
model_name: local/tiny-tool
batch_size: 2
data: [{ path: demo.jsonl }]
environments: { local/dataset: { tasks: q.jsonl, num_rollouts: 2, splits: { train: {} } } }
evaluation: { splits: { local/dataset: [test] } }
`;
  await program.fileSystem.writeAtomic(resolve("run.yaml"), text);
  const row = { question: "q", answer: "a", split: "test" };
  await program.fileSystem.writeAtomic(resolve("q.jsonl"), JSON.stringify(row));
  await runProgram(program, ["validate", "run.yaml"]);
  expect(program.out.lines.join("\n")).not.toContain("no row is in the split");
});

test("rows of demonstrations are validated, too", async () => {
  const folder = folderOfThisTest();
  await writeFile(join(folder, "demos.jsonl"), "{}\n");
  const program = createFakeProgram();
  const path = join(folder, "sft.yaml");
  const text = `model_name: local/tiny-tool\nmethod: sft\nbatch_size: 1\nmax_steps: 1\ndata: [{ path: demos.jsonl }]\n`;
  await program.fileSystem.writeAtomic(path, text);
  expect(await runProgram(program, ["validate", path])).toBe(2);
  expect(program.out.lines).toEqual([
    `${path}:5:16: error: TRL222 Row 1 of demos.jsonl cannot be trained on: messages: expected a list of messages, got nothing, in a line with no key. (data.0.path)`,
  ]);
});

test.each([
  ["init_from", ["init_from: nowhere"]],
  ["kl_reference", ["kl_coef: 0.1", "kl_reference: nowhere"]],
  ["teacher.checkpoint", ["teacher: { checkpoint: nowhere }"]],
])("a run must have the weights that another run uses: %s", async (key, settings) => {
  const { exitCode, lines } = await validate(textWith(...settings));
  expect(exitCode).toBe(2);
  expect(lines).toEqual([expect.stringMatching(/^run\.yaml:\d+:\d+: error: TRL222 /)]);
  expect(lines[0]).toContain(
    `TRL222 ${resolve("nowhere")} is not the folder of a run. Name one, or a tinker:// path. (${key})`,
  );
});

test("a missing script of an agent is a warning", async () => {
  const folder = folderOfThisTest();
  await writeFile(join(folder, "agent.py"), "");
  const program = createFakeProgram();
  const path = join(folder, "run.yaml");
  const agent = `agent: { command: [python, "{folder}/agent.py"], reward_command: [python, grad.py] }`;
  await program.fileSystem.writeAtomic(path, textWithEnvironment(agent));
  expect(await runProgram(program, ["validate", path])).toBe(0);
  expect(program.out.lines).toEqual([
    `${path}:6:70: warning: TRL231 grad.py is not beside the configuration, and the agent starts in an empty folder. (environments.Owner/Game.agent.reward_command)`,
    `${path} is valid, with 1 warning`,
  ]);
});

test("demonstrations of each stage are validated, and the run of another stage is not read", async () => {
  const folder = folderOfThisTest();
  await writeFile(join(folder, "demos.jsonl"), "{}\n");
  const program = createFakeProgram();
  const path = join(folder, "stages.yaml");
  const text = `model_name: local/tiny-tool
environments: { local/calculator: { splits: { train: {} }, num_rollouts: 2 } }
batch_size: 1
max_steps: 1
data: [{ path: demos.jsonl }]
stages:
  gather: { method: collect }
  first: { method: sft }
  second: { method: sft }
  third: { method: sft, data: [{ path: demos.jsonl }] }
  imitate: { method: sft, data: [{ run: "stage:gather" }] }
`;
  await program.fileSystem.writeAtomic(path, text);
  expect(await runProgram(program, ["validate", path])).toBe(2);
  const [first = "", third = "", ...others] = program.out.lines;
  expect(first).toMatch(/Row 1 of demos\.jsonl cannot be trained on.* \(data\.0\.path\)$/);
  expect(third).toMatch(
    /Row 1 of demos\.jsonl cannot be trained on.* \(stages\.third\.data\.0\.path\)$/,
  );
  expect(others).toEqual([]);
  expect(await runProgram(program, ["validate", path, "--stage=imitate"])).toBe(0);
});
