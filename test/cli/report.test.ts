import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { startRun } from "../../src/core/runFolder/runFolder.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { createFakeProgram } from "./fakeProgram.ts";

const PARENT = "/home/me/.tinker-rl/runs";
const RUN = `${PARENT}/demo`;
let fileSystem = createMemoryFileSystem();

beforeEach(async () => {
  fileSystem = createMemoryFileSystem();
  const run = { name: "demo", runId: "demo", pid: 1, host: "here", owner: "terminal" } as const;
  await startRun(
    { fileSystem, clock: new FakeClock() },
    { parent: PARENT, ...run, configPath: "/home/me/a.yaml" },
  );
});

it("writes one file to the current folder, and can overwrite it", async () => {
  for (const _ of ["once", "again"]) {
    const { code, lines } = await report(RUN);
    expect(code).toBe(0);
    expect(lines.join("\n")).toMatch(/^Wrote .*demo-report\.html \(\d/);
  }
  const written = [...fileSystem.files.keys()].filter((path) => path.endsWith(".html"));
  expect(written).toHaveLength(1);
});

it("names the file after the run folder, because runs of different sweeps may have equal settings", async () => {
  const settings = ["model_name=Qwen/Qwen3-8B"];
  const sweep = { id: "s", name: "models", combination: 0, combinations: 2, settings };
  const run = { name: "models-1", runId: "m", pid: 1, host: "here", owner: "terminal" } as const;
  await startRun(
    { fileSystem, clock: new FakeClock() },
    { parent: PARENT, ...run, configPath: "/home/me/a.yaml", sweep },
  );
  const { lines } = await report(`${PARENT}/models-1`);
  expect(lines.join("\n")).toContain("Wrote models-1-report.html");
});

it("does not overwrite a file that is not a report", async () => {
  await fileSystem.writeAtomic("/home/me/mine.html", "<p>mine</p>");
  const { code, errors } = await report(RUN, "--output", "/home/me/mine.html");
  expect(code).toBe(2);
  expect(errors).toContain("--output");
  expect(await fileSystem.readText("/home/me/mine.html", 100)).toBe("<p>mine</p>");
});

it("creates the folder of its output", async () => {
  const files = createFileSystem();
  const output = join(folderOfThisTest(), "sub", "x.html");
  const { makeDirectory, writeAtomic } = files;
  fileSystem = { ...fileSystem, makeDirectory, writeAtomic };
  expect((await report(RUN, "--output", output)).code).toBe(0);
  expect(await files.size(output)).toBeGreaterThan(0);
});

it("prints Markdown for other programs", async () => {
  const { lines } = await report(RUN, "--format", "markdown");
  expect(lines[0]).toBe("## demo");
  expect([...fileSystem.files.keys()].some((path) => path.includes("report"))).toBe(false);
});

it("is Markdown in a file whose name ends in .md, with each run once", async () => {
  await report(RUN, RUN, "--output", "/project/report.md");
  expect(await fileSystem.readText("/project/report.md")).toMatch(/^## demo\n/);
});

it("leaves out the folder of a sweep, whose runs are next to it", async () => {
  const sweep = `${PARENT}/demo-sweep`;
  await fileSystem.writeAtomic(`${sweep}/sweep.json`, "{}");
  await fileSystem.writeAtomic(`${sweep}.seed_1/metrics.jsonl`, "");
  const { lines } = await report(sweep, `${sweep}.seed_1`, "--format", "markdown");
  expect(lines[0]).toBe("## demo-sweep.seed\\_1");
  const { code, errors } = await report(sweep);
  expect(code).toBe(2);
  expect(errors).toContain("Specify one of the runs beside it: demo-sweep.seed_1.");
});

it.each([
  { words: [], message: "report needs a run folder" },
  { words: [RUN, "--format", "pdf"], message: "It can be html or markdown" },
  { words: ["/elsewhere"], message: "is not a run folder" },
])("rejects $words: $message", async ({ words, message }) => {
  const { code, errors } = await report(...words);
  expect(code).toBe(2);
  expect(errors).toContain(message);
});

async function report(...words: readonly string[]) {
  const program = createFakeProgram({ fileSystem });
  const code = await runProgram(program, ["report", ...words]);
  return { code, lines: program.out.lines, errors: program.err.lines.join("\n") };
}
