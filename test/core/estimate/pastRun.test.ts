import { expect, it } from "vitest";
import { pastRunLike } from "../../../src/core/estimate/pastRun.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { aRunFile } from "../runFolder/builders.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const CONFIG = { model_name: "org/model", environments: { "a/b": {} } };

/** The past run for a configuration with these changes. Each of `runs` is newer than those before it. */
async function withRuns(
  runs: Readonly<Record<string, { readonly trained?: number; readonly [key: string]: unknown }>>,
  changes: object = {},
) {
  const files = createMemoryFileSystem();
  for (const [at, [name, { trained = 10, ...settings }]] of Object.entries(runs).entries()) {
    const paths = runPaths(`/runs/${name}`);
    await files.writeAtomic(paths.resolvedConfig, JSON.stringify({ ...CONFIG, ...settings }));
    await files.writeAtomic(paths.runFile, JSON.stringify(aRunFile({ startedAtMs: at + 1 })));
    await files.writeAtomic(paths.metrics, "{}\n");
    const update = { for: "update", step: 0, tokens: { ...NO_TOKENS, prefill_cached: 1, trained } };
    await files.writeAtomic(paths.usage, encodeJsonLine(update));
  }
  return await pastRunLike(files, "/runs", { ...CONFIG, ...changes } as never, sha256);
}

it("finds the newest run of the model and the environments", async () => {
  expect(await withRuns({ a: {}, b: {}, other: { model_name: "org/other" } })).toBe("/runs/b");
});

it("prefers the run with the fewest different settings, whatever it is called", async () => {
  const runs = { a: { seed: 1, lr: 1, run_name: "a" }, b: { seed: 2, lr: 1 }, c: { lr: 3 } };
  expect(await withRuns(runs, { seed: 1, lr: 1 })).toBe("/runs/a");
  expect(await withRuns(runs, { seed: 3, lr: 1 })).toBe("/runs/b");
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
  const useless = { "a-dry-run": dry, sft: { method: "sft" }, failed: { trained: 0 } };
  expect(await withRuns({ a: {}, ...useless })).toBe("/runs/a");
  expect(await withRuns(useless)).toBeNull();
});
