import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { parseArguments } from "../../src/cli/arguments/arguments.ts";
import { runProgram } from "../../src/cli/program.ts";
import { searchOutput } from "../../src/core/outputs/searchOutput.ts";
import type { RolloutRecord } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { startRun } from "../../src/core/runFolder/runFolder.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { aRecord, aRecordedTurn } from "../core/runFolder/builders.ts";
import { writeEvaluation } from "../core/runFolder/evaluatedRun.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { createFakeProgram } from "./fakeProgram.ts";
import { createFakeTerminal } from "./fakeTerminal.ts";

const RUNS = "/home/me/.tinker-rl/runs";
const HOSTILE = "before\u001b[2J\u202e the Secret\u0007 after";
const clock = new FakeClock();
let fileSystem = createMemoryFileSystem();

beforeEach(async () => {
  fileSystem = createMemoryFileSystem();
  await write("first", saying("I exit with sys.exit(0) now."), { ...saying("no"), step: 1 });
  await write("second", { ...saying(HOSTILE), group: 2, reward: null });
});

it("prints the position of each match, newest step first, without control characters", async () => {
  const { code, lines } = await search("secret", "-i");
  expect(code).toBe(0);
  expect(lines).toEqual([
    "second  step 1, group 3, rollout 1  failed  local/calculator:train:3",
    "  answer, turn 1    before␛[2J\\u{202e} the Secret␇ after",
    "",
    "1 rollout, 2 runs searched",
  ]);
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it("is case-sensitive unless asked not to be, and takes words literally", async () => {
  expect((await search("secret")).lines).toEqual(["0 rollouts, 2 runs searched"]);
  expect((await search("sys.exit\\(\\d", "--regex")).lines[0]).toMatch(/^first {2}step 1,/);
  expect((await search("sys.exit\\(\\d")).lines).toHaveLength(1);
  expect((await search("SYS\\.", "--regex", "--ignore-case")).lines).toHaveLength(4);
});

it("searches the named runs, or a folder of runs, and only texts of the named roles", async () => {
  expect((await search("Secret", `${RUNS}/first`)).lines).toEqual(["0 rollouts, 1 run searched"]);
  expect((await search("Secret", RUNS, `${RUNS}/second`)).lines.at(-1)).toMatch(/^1 rollout, 2/);
  expect((await search("Secret", "--role", "thinking,call")).lines).toHaveLength(1);
  expect((await search("Secret", "--role", "answer")).lines).toHaveLength(4);
});

it("searches the runs one level down if there are none here, like runs", async () => {
  fileSystem = createMemoryFileSystem();
  await writeIn("/home/me/game/.tinker-rl/runs", "below", saying("far below"));
  expect((await search("far")).lines.at(-1)).toBe("1 rollout, 1 run searched");
});

it("searches the runs of a configuration", async () => {
  const config = join(folderOfThisTest(), "sums.yaml");
  await writeFile(config, "{}");
  const program = createFakeProgram({ fileSystem: createFileSystem() });
  expect(await runProgram(program, ["search", "Secret", config])).toBe(2);
  expect(program.err.lines).toEqual([expect.stringContaining("There are no runs in ")]);
});

it("numbers a rollout of an evaluation like show --eval", async () => {
  await writeEvaluation(fileSystem, `${RUNS}/first`, 2, 1);
  const words = ['"Task 10 at 1 after"', "--limit", "1"];
  expect((await search(...words)).lines[0]).toMatch(/^first {2}evaluation after 2, rollout 15 /);
  const [line = ""] = (await search(...words, "--json")).lines;
  expect(JSON.parse(line)).toMatchObject({ source: "evaluation", step: 2, position: 15 });
});

it("names the model of a rollout if several were evaluated", async () => {
  await writeEvaluation(fileSystem, `${RUNS}/first`, 2, 1, "col step 10");
  const words = ['"Task 10 at 1 after"', "--limit", "1"];
  expect((await search(...words)).lines[0]).toMatch(
    /^first {2}evaluation of col step 10 after 2, rollout 15 /,
  );
  const [line = ""] = (await search(...words, "--json")).lines;
  expect(JSON.parse(line)).toMatchObject({ model: "col step 10", position: 15 });
});

it("prints a line of JSON for each rollout, and stops at the limit", async () => {
  expect((await search("nothing-like-it", "--json")).lines).toEqual([]);
  const found = await search("2", "--json", "--limit", "2", "--role", "prompt");
  expect(found.lines).toHaveLength(2);
  const values: unknown[] = found.lines.map((line) => JSON.parse(line));
  for (const value of values) {
    expect(searchOutput.of(value as Parameters<typeof searchOutput.of>[0])).toEqual(value);
  }
  expect(values[0]).toMatchObject({
    format: "tinker-rl.found/1",
    step: 1,
    group: 3,
    rollout: 1,
    reward: null,
    places: [{ role: "prompt", turn: null, before: "What is ", match: "2", after: " + 3?" }],
  });
  expect((await search("2", "--limit", "1")).lines.at(-1)).toBe("1 rollout, ended by --limit");
});

it("fits a match into the width of a terminal, and shows progress", async () => {
  await write("long", saying(`${"word ".repeat(40)}needle ${"word ".repeat(40)}`));
  const out = createFakeTerminal({ columns: 60, isInteractive: true });
  const { lines } = await search("needle", out);
  expect(lines[1]).toMatch(/^ {2}answer, turn 1 {4}….*needle.*…$/);
  expect(lines[1]).toHaveLength(60);
  expect(out.live.at(-1)).toBeNull();
});

it("changes nothing in the folders", async () => {
  const before = [...fileSystem.files.keys()];
  await search("Secret");
  expect([...fileSystem.files.keys()]).toEqual(before);
});

it.each([
  { words: ["(", "--regex"], message: "Invalid regular expression" },
  { words: ["x", "/elsewhere"], message: "/elsewhere does not exist" },
  { words: ["x", "--role", "model"], message: "--role is" },
  { words: ["x", "--limit", "0"], message: "--limit is 0" },
  { words: [" "], message: "search needs a pattern" },
])("rejects $words: $message", async ({ words, message }) => {
  const { code, errors } = await search(...words);
  expect(code).toBe(2);
  expect(errors.join("\n")).toContain(message);
});

it("accepts roles from several flags", () => {
  expect(parseArguments(["search", "a b", "--role", "call", "--role", "error"])).toMatchObject({
    pattern: "a b",
    roles: ["call", "error"],
    limit: null,
    isCaseSensitive: true,
  });
});

async function search(...words: readonly (string | ReturnType<typeof createFakeTerminal>)[]) {
  const given = words.find((word) => typeof word !== "string");
  const out = given ?? createFakeTerminal();
  // On disk, a folder has a size, too.
  const size = async (path: string) =>
    (await fileSystem.size(path)) ?? ((await fileSystem.list(path)).length > 0 ? 0 : null);
  const program = { ...createFakeProgram({ fileSystem: { ...fileSystem, size } }), out };
  const args = words.filter((word) => typeof word === "string");
  const code = await runProgram(program, ["search", ...args]);
  return { code, lines: out.lines, errors: program.err.lines };
}

const write = (name: string, ...records: readonly RolloutRecord[]) =>
  writeIn(RUNS, name, ...records);

async function writeIn(
  parent: string,
  name: string,
  ...records: readonly RolloutRecord[]
): Promise<void> {
  const run = {
    name,
    runId: name,
    pid: 1,
    host: "here",
    owner: "terminal",
    configPath: "/home/me/a.yaml",
  } as const;
  // Runs are listed by start time.
  await clock.advance(60_000);
  const { folder } = await startRun({ fileSystem, clock }, { parent, ...run });
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder });
  for (const record of records) await store.addRollout(record);
}

function saying(content: string): RolloutRecord {
  return aRecord({ turns: [aRecordedTurn({ content, calls: [], results: [] })] });
}
