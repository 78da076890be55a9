/** Tokens and cost as shown in a terminal. */

import { expect, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { eventLines } from "../../src/cli/progress/progressLines.ts";
import { advanceProgress, INITIAL_PROGRESS } from "../../src/cli/progress/progressModel.ts";
import { renderLine } from "../../src/cli/terminal/line.ts";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import { writePriceFile } from "../../src/core/runFolder/priceFile.ts";
import { createUsageLog } from "../../src/core/runFolder/usageLog.ts";
import { listRuns } from "../../src/core/runs/runList.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { NO_TOKENS } from "../../src/core/usage/tokenUsage.ts";
import { aRunFile, stepFacts } from "../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { createFakeProgram, stepFinished } from "./fakeProgram.ts";

const FOLDER = "runs/demo";
const invocation = { program: "tinker-rl", cwd: "/home/me" };
const prices = { sampled: 4, prefill_cached: 0.5, prefill_uncached: 2, trained: 8 };
const cumulative = {
  sampled: 1_000_000,
  prefill_cached: 4_000_000,
  prefill_uncached: 500_000,
  trained: 250_000,
};
const discarded = { ...NO_TOKENS, sampled: 100_000 };
const evaluation = { ...NO_TOKENS, sampled: 250_000 };
const total = { cumulative, discarded, evaluation };

function screen(event: ProgressEvent, width = Number.POSITIVE_INFINITY): readonly string[] {
  const model = advanceProgress(INITIAL_PROGRESS, event);
  const lines = eventLines(event, model, { width, isLive: false, invocation });
  return lines.map((line) => renderLine(line, false));
}

test("the line of a step has the cost of the run so far, if it is known", () => {
  const used = { tokens: 6_000_000, costUsd: 10 };
  expect(screen(stepFinished({ used }))[0]).toContain("$10.00");
  expect(screen(stepFinished({ used: { ...used, costUsd: null } }))[0]).not.toContain("$");
});

test("the end says why a budget ended the run, and how much was used", () => {
  const place = { folder: "/home/me/a", step: 3 };
  const end = { kind: "ended", outcome: "stopped", ...place, trend: null, fit: null } as const;
  const reason = "The run has used up its budget (max_cost_usd: $10.00).";
  const used = { tokens: 6_000_000, costUsd: 10 };
  const lines = screen({ ...end, reason, used });
  expect(lines).toContain(reason);
  expect(lines.some((line) => /^cost +\$10\.00, 6,000,000 tokens$/.test(line))).toBe(true);
  const unknown = screen({ ...end, reason: null, used: { ...used, costUsd: null } });
  expect(unknown.some((line) => /^used +6,000,000 tokens$/.test(line))).toBe(true);
});

async function aRun({ withPrices = true } = {}) {
  const fileSystem = createMemoryFileSystem();
  const usage = { step: cumulative, total, prices: withPrices ? prices : null };
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 0, usage })));
  const log = createUsageLog({ fileSystem, folder: FOLDER, log: silentLog });
  log.add({ for: "update", step: 0, tokens: cumulative });
  log.add({ for: "evaluation", step: 0, tokens: evaluation });
  await log.flush();
  if (!withPrices) return fileSystem;
  const file = { model: "m", prices, source: "configuration", date: null } as const;
  await writePriceFile(fileSystem, FOLDER, file);
  return fileSystem;
}

async function show(fileSystem: ReturnType<typeof createMemoryFileSystem>): Promise<string> {
  const program = createFakeProgram({ fileSystem });
  expect(await runProgram(program, ["show", FOLDER])).toBe(0);
  return program.out.lines.join("\n");
}

test("`show` has the cost and the tokens by kind, and those discarded and used in evaluations", async () => {
  const text = await show(await aRun());
  expect(text).toMatch(/^cost +\$10\.00, 6,000,000 tokens$/m);
  expect(text).toMatch(
    /^breakdown +sampled 1,250,000, prompts 4,000,000 cached and 500,000 not, trained 250,000$/m,
  );
  expect(text).toMatch(/^discarded +\$0\.40, 100,000 tokens$/m);
  expect(text).toMatch(/^evaluations +\$1\.00, 250,000 tokens$/m);
});

test("`show` counts the evaluation after the last step, which has no row", async () => {
  const fileSystem = await aRun();
  const log = createUsageLog({ fileSystem, folder: FOLDER, log: silentLog });
  log.add({ for: "evaluation", step: 1, tokens: { ...NO_TOKENS, sampled: 250_000 } });
  await log.flush();
  expect(await show(fileSystem)).toMatch(/^evaluations +\$2\.00, 500,000 tokens$/m);
});

test("`show` has only tokens if no prices are known", async () => {
  const text = await show(await aRun({ withPrices: false }));
  expect(text).toMatch(/^used +6,000,000 tokens$/m);
  expect(text).not.toContain("$");
});

test("a list of runs shows the usage of each", async () => {
  const fileSystem = await aRun();
  const file = aRunFile({ phase: "done" });
  await fileSystem.writeAtomic(`${FOLDER}/run.json`, JSON.stringify(file));
  const runs = await listRuns(fileSystem, "runs", { nowMs: 0, isProcessAlive: () => false });
  expect(runs.map(({ used }) => used)).toEqual([{ tokens: 6_000_000, costUsd: 10 }]);
});
