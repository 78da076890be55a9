import { expect, it } from "vitest";
import { newestRunLike } from "../../../src/core/estimate/pastRun.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { aRunFile } from "../runFolder/builders.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const CONFIG = { model_name: "org/model", environments: { "a/b": {} } };

async function withRuns(runs: Readonly<Record<string, object>>, changes: object = {}) {
  const files = createMemoryFileSystem();
  for (const [at, [name, settings]] of Object.entries(runs).entries()) {
    const paths = runPaths(`/runs/${name}`);
    await files.writeAtomic(paths.resolvedConfig, JSON.stringify({ ...CONFIG, ...settings }));
    await files.writeAtomic(paths.runFile, JSON.stringify(aRunFile({ startedAtMs: at + 1 })));
    for (const path of [paths.metrics, paths.usage]) await files.writeAtomic(path, "{}\n");
  }
  return await newestRunLike(files, "/runs", { ...CONFIG, ...changes } as never);
}

it("finds the newest run of the model and the environments", async () => {
  expect(await withRuns({ a: {}, b: {}, other: { model_name: "org/other" } })).toBe("/runs/b");
});

it("finds only runs with the same agent, or without one if there is none", async () => {
  const playedBy = (...command: string[]) => ({ environments: { "a/b": { agent: { command } } } });
  const agent = playedBy("python", "agent.py");
  const runs = { a: agent, b: playedBy("python", "other.py"), c: {} };
  expect(await withRuns(runs, agent)).toBe("/runs/a");
  expect(await withRuns(runs)).toBe("/runs/c");
});

it("finds no run without updates or samples", async () => {
  const dry = { run_name: "a-dry-run" };
  expect(await withRuns({ a: {}, "a-dry-run": dry, sft: { method: "sft" } })).toBe("/runs/a");
});
