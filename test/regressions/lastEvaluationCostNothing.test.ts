/** The evaluation after the last step, which no row counts, was missing in the cost of lists and of the dashboard; one by itself had none at all. */

import { beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import { writePriceFile } from "../../src/core/runFolder/priceFile.ts";
import { createUsageLog } from "../../src/core/runFolder/usageLog.ts";
import { readRun } from "../../src/core/runs/runList.ts";
import { NO_TOKENS } from "../../src/core/usage/tokenUsage.ts";
import { encodeJsonLine } from "../../src/core/util/jsonl.ts";
import { gatherFacts } from "../../src/host/dashboard/runFacts.ts";
import { createFakeProgram } from "../cli/fakeProgram.ts";
import { stepFacts } from "../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { silentLog } from "../fakes/silentLog.ts";

const FOLDER = "runs/demo";
const LIVENESS = { nowMs: 0, isProcessAlive: () => false };
const prices = { sampled: 4, prefill_cached: 0.5, prefill_uncached: 2, trained: 8 };
const FILE = {
  schemaVersion: 1,
  runId: "a",
  name: "demo",
  pid: 1,
  host: "here",
  owner: "terminal",
  startedAtMs: 0,
  heartbeatAtMs: 0,
  generation: 1,
  attempt: 1,
  phase: "done",
  configPath: "/c.yaml",
  control: null,
};

let disk = createMemoryFileSystem();
beforeEach(async () => {
  disk = createMemoryFileSystem();
  await disk.writeAtomic(runPaths(FOLDER).runFile, JSON.stringify(FILE));
  await writePriceFile(disk, FOLDER, { model: "m", prices, source: "configuration", date: null });
});

/** A row that counts an evaluation of a million tokens before its step. */
async function addStep(): Promise<void> {
  const cumulative = { ...NO_TOKENS, sampled: 2_000_000 };
  const evaluation = { ...NO_TOKENS, sampled: 1_000_000 };
  const total = { cumulative, discarded: NO_TOKENS, evaluation };
  const usage = { step: cumulative, total, prices };
  await addEvaluation(0, 1_000_000);
  const log = createUsageLog({ fileSystem: disk, folder: FOLDER, log: silentLog });
  log.add({ for: "update", step: 0, tokens: cumulative });
  log.add({ for: "row", step: 0, seconds: 0 });
  await log.flush();
  await appendMetrics(disk, FOLDER, buildMetricsRow(stepFacts({ step: 0, usage })));
}

async function addEvaluation(step: number, sampled: number): Promise<void> {
  const log = createUsageLog({ fileSystem: disk, folder: FOLDER, log: silentLog });
  log.add({ for: "evaluation", step, tokens: { ...NO_TOKENS, sampled } });
  await log.flush();
  const line = { step, purpose: "end", timeMs: 1, results: [] };
  await disk.append(runPaths(FOLDER).evaluations, encodeJsonLine(line));
}

async function listed() {
  return (await readRun(disk, { name: "demo", folder: FOLDER }, LIVENESS))?.used;
}

async function laterCost(): Promise<number | null> {
  const follower = new RunFollower({ fileSystem: disk, folder: FOLDER });
  await follower.refresh();
  const config = { model: null, environments: [], maxSteps: null };
  const options = {
    id: "a",
    name: "demo",
    follower,
    fileSystem: disk,
    liveness: LIVENESS,
    config,
    evaluated: null,
  };
  return (await gatherFacts({ ...options, shortenPath: (path) => path })).run.laterCostUsd;
}

describe("what a run has used", () => {
  it("has each evaluation once", async () => {
    await addStep();
    expect(await listed()).toEqual({ tokens: 3_000_000, costUsd: 12 });
    expect(await laterCost()).toBe(0);
    await addEvaluation(1, 500_000);
    expect(await listed()).toEqual({ tokens: 3_500_000, costUsd: 14 });
    expect(await laterCost()).toBe(2);
  });

  it("is that of its models where nothing is trained", async () => {
    await addEvaluation(10, 500_000);
    await addEvaluation(0, 500_000);
    expect(await listed()).toEqual({ tokens: 1_000_000, costUsd: 4 });
    expect(await laterCost()).toBe(4);
    const program = createFakeProgram({ fileSystem: disk });
    expect(await runProgram(program, ["show", FOLDER])).toBe(0);
    const text = program.out.lines.join("\n");
    expect(text).toMatch(/^cost +\$4\.00, 1,000,000 tokens$/m);
  });
});
