import { beforeEach, describe, expect, it, vi } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import { DEMO } from "../../../src/core/config/editing/completion/templates.ts";
import type { FileSystem } from "../../../src/core/ports.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { writePriceFile } from "../../../src/core/runFolder/priceFile.ts";
import { createUsageLog } from "../../../src/core/runFolder/usageLog.ts";
import { LaterUsage } from "../../../src/core/runs/laterUsage.ts";
import { readRun } from "../../../src/core/runs/runList.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import {
  gatherFacts,
  type RunFactsOptions,
  readConfigFacts,
} from "../../../src/server/dashboard/runFacts.ts";
import type { RunView } from "../../../src/shared/dashboardTypes.ts";
import { createFakeProgram } from "../../cli/fakeProgram.ts";
import { aRunFile, aStoredResult, stepFacts } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const FOLDER = "/runs/demo";
const LIVENESS = { nowMs: 0, isProcessAlive: () => false };

let disk = createMemoryFileSystem();
beforeEach(() => {
  disk = createMemoryFileSystem();
});

/** The facts that the page gets for the run on disk. */
async function facts(changes: Partial<RunFactsOptions> = {}) {
  const fileSystem: FileSystem = disk;
  const follower = new RunFollower({ fileSystem, folder: FOLDER });
  await follower.refresh();
  return await gatherFacts({
    id: "demo",
    name: "demo",
    follower,
    fileSystem,
    liveness: LIVENESS,
    evaluated: null,
    laterUsage: new LaterUsage(fileSystem.within(FOLDER), FOLDER),
    configFacts: await readConfigFacts(fileSystem, FOLDER),
    shortenPath: (path) => path,
    ...changes,
  });
}

it("the page receives the evaluated model, without its location", async () => {
  const model = { name: "step 10", path: "tinker://r/sampler_weights/c" };
  const line = { step: 10, purpose: "asked", timeMs: 0, model, results: [] };
  await disk.append(runPaths(FOLDER).evaluations, encodeJsonLine(line));
  const { evaluations } = await facts();
  expect(evaluations).toEqual([{ step: 10, results: [], model: { name: "step 10" } }]);
});

it.each([
  ["the demo's configuration", DEMO, "demo.yaml"],
  ["one that was made of it", DEMO.replace("max_steps: 40", "max_steps: 1000"), null],
] as const)("a run of %s is recognized as the local demo or not", async (_, text, expected) => {
  await disk.append(runPaths(FOLDER).config, text);
  await disk.append(runPaths(FOLDER).resolvedConfig, "{}");
  const file = aRunFile({ configPath: "/home/someone/demo.yaml" });
  await disk.append(runPaths(FOLDER).runFile, JSON.stringify(file));
  expect((await facts()).run.demoConfig).toBe(expected);
  await disk.append(runPaths(FOLDER).overrides, '["model_name=other/model"]');
  expect((await facts()).run.demoConfig).toBeNull();
});

it.each([
  ["running", "Too early to tell (4 steps); held-out 0.50"],
  ["failed", "Held-out 0.50"],
] as const)("a run that is %s has the sentence “%s”", async (phase, expected) => {
  await disk.append(runPaths(FOLDER).runFile, JSON.stringify(aRunFile({ phase })));
  const row = buildMetricsRow(stepFacts({ step: 0 }));
  await appendMetrics(disk, FOLDER, { ...row, trend: { steps: 4 } });
  const result = aStoredResult({ rewardMean: 0.5, low: null, high: null });
  const line = { step: 0, purpose: "begin", timeMs: 0, results: [result] };
  await disk.append(runPaths(FOLDER).evaluations, encodeJsonLine(line));
  const { run } = await facts({ liveness: { nowMs: 0, isProcessAlive: () => true } });
  expect(run.sentence).toBe(expected);
});

it.each([
  ["rl", "running", null],
  ["sft", "running", "trained"],
  ["sft", "done", "read"],
] as const)(
  "a run with method %s that is %s has examples or none",
  async (method, phase, expected) => {
    await disk.append(runPaths(FOLDER).resolvedConfig, JSON.stringify({ method }));
    await disk.append(runPaths(FOLDER).runFile, JSON.stringify(aRunFile({ phase })));
    const { run } = await facts({ liveness: { nowMs: 0, isProcessAlive: () => true } });
    expect(run.examples).toBe(expected);
  },
);

it("events that controlled a run are sent to the page however many others followed", async () => {
  const log = createEventLog({
    fileSystem: disk.within(FOLDER),
    clock: new FakeClock(),
    folder: FOLDER,
    attempt: 1,
    redactor: new Redactor(),
  });
  const event = { level: "info", message: "", data: {} } as const;
  const kinds = ["settings-changed", "run-paused", "run-continued", "capacity-paused"];
  for (const kind of kinds) await log.record({ ...event, kind, step: 3 });
  for (let step = 4; step < 500; step += 1) {
    await log.record({ ...event, kind: "checkpoint-saved", step });
  }
  const { events } = await facts();
  expect(events.length).toBeLessThan(496);
  expect(events.slice(0, kinds.length).map(({ kind }) => kind)).toEqual(kinds);
});

describe("the usage of a run", () => {
  const prices = { sampled: 4, prefill_cached: 0.5, prefill_uncached: 2, trained: 8 };

  beforeEach(async () => {
    await disk.writeAtomic(runPaths(FOLDER).runFile, JSON.stringify(aRunFile({ phase: "done" })));
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

  /** In the list of runs and in the header of the dashboard. */
  async function shown() {
    const listed = await readRun(disk, { name: "demo", folder: FOLDER }, LIVENESS);
    return [listed?.used, (await facts()).run.used];
  }
  const both = (used: RunView["used"]) => [used, used];

  it("includes each evaluation once", async () => {
    await addStep();
    expect(await shown()).toEqual(both({ tokens: 3_000_000, costUsd: 12 }));
    await addEvaluation(1, 500_000);
    expect(await shown()).toEqual(both({ tokens: 3_500_000, costUsd: 14 }));
  });

  it("has a cost before the first row, and none if a part of it is not known", async () => {
    expect(await shown()).toEqual(both(null));
    await addEvaluation(0, 500_000);
    expect(await shown()).toEqual(both({ tokens: 500_000, costUsd: 2 }));
    await addStep();
    await disk.remove(runPaths(FOLDER).prices);
    await addEvaluation(1, 500_000);
    expect(await shown()).toEqual(both({ tokens: 3_500_000, costUsd: null }));
  });

  it("follows a growing file, reading each line once", async () => {
    await addStep();
    const later = new LaterUsage(disk, FOLDER);
    await addEvaluation(1, 500_000);
    expect((await later.read(1)).costUsd).toBe(2);
    const known = (await disk.size(runPaths(FOLDER).usage)) ?? 0;
    await addEvaluation(1, 250_000);
    const reading = vi.spyOn(disk, "readRange");
    for (const _ of [1, 2]) expect((await later.read(1)).costUsd).toBe(3);
    expect(reading.mock.calls.map(([, offset]) => offset)).toEqual([known]);
    await addStep();
    expect((await later.read(1)).costUsd).toBe(0);
  });

  it("is that of its models if nothing is trained", async () => {
    await addEvaluation(10, 500_000);
    await addEvaluation(0, 500_000);
    expect(await shown()).toEqual(both({ tokens: 1_000_000, costUsd: 4 }));
    const program = createFakeProgram({ fileSystem: disk });
    expect(await runProgram(program, ["show", FOLDER])).toBe(0);
    const text = program.out.lines.join("\n");
    expect(text).toMatch(/^cost +\$4\.00, 1,000,000 tokens$/m);
  });
});
