import { expect, it } from "vitest";
import { measureRun } from "../../../src/core/runs/measureRun.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const PLACE = { folder: "/runs/demo", name: "demo", isLive: true };

function aRow(step: number) {
  return {
    step,
    progress: { done_frac: (step + 1) / 40, eta_s: 60 * (39 - step), elapsed_s: 90 * (step + 1) },
    tokens: {
      sampled: 100 + step,
      prefill_cached: 10,
      prefill_uncached: 20,
      trained: 70,
      cumulative: { sampled: 1, prefill_cached: 2, prefill_uncached: 3, trained: 4 },
      discarded: { sampled: 0, prefill_cached: 0, prefill_uncached: 0, trained: 0 },
      evaluation: { sampled: 5, prefill_cached: 0, prefill_uncached: 0, trained: 0 },
    },
    cost: { step_usd: 0.5, cumulative_usd: 4, evaluation_usd: 1 },
    // The run now has a different `max_hours`.
    budget: { hours_frac: 0.9 },
    time: { total_s: 60 },
    optim: { lr: 1e-5, grad_norm: step },
    group: { frac_mixed: 0.25 },
    rollout: {
      reward: { mean: step / 10 },
      turn_truncated_frac: 0.02,
      tokens_per_turn: { mean: 50, max: 90 + step },
      total_tokens: { mean: 500, max: 900 },
      stop_reason: {
        reached_terminal_state: { count: 3, frac: 0.75 },
        // Listed only in steps in which it occurred.
        ...(step % 2 === 0 ? { rollout_timeout: { count: 1, frac: 0.25 } } : {}),
      },
      env: {
        "A/Game": { reward: { mean: 0.5 }, success_frac: 0.4, turns: { mean: 3 } },
        "B/Game": { reward: { mean: 0.1 } },
        Other: { reward: { mean: 0.2 } },
      },
    },
  };
}

async function aRun(rows: readonly object[]) {
  const fileSystem = createMemoryFileSystem();
  for (const row of rows) await fileSystem.append("/runs/demo/metrics.jsonl", encodeJsonLine(row));
  const environments = { "A/Game": {}, "B/Game": {}, "Owner/Other": {} };
  const settings = { batch_size: 4, max_hours: 2, environments };
  const bytes = Buffer.from(JSON.stringify(settings));
  await fileSystem.writeAtomic("/runs/demo/config.resolved.json", bytes);
  return { fileSystem, settings };
}

it("measures the last steps of a run, with totals from the last one", async () => {
  const { fileSystem, settings } = await aRun(Array.from({ length: 20 }, (_, step) => aRow(step)));
  const run = await measureRun(fileSystem, PLACE);
  expect(run).toEqual({
    name: "demo",
    isLive: true,
    steps: 20,
    totalSteps: 40,
    measuredSteps: 10,
    settings,
    step: { tokens: 214.5, costUsd: 0.5, seconds: 60, gradientNorm: 14.5 },
    used: { tokens: 15, costUsd: 5, seconds: 1800 },
    evaluation: { tokenShare: 1 / 3, costUsd: 1 },
    secondsLeft: 1200,
    learningRate: 1e-5,
    reward: expect.closeTo(1.45),
    mixedGroups: 0.25,
    turns: { cut: expect.closeTo(0.02), meanTokens: 50, mostTokens: 109 },
    rollouts: { full: 0, meanTokens: 500, mostTokens: 900, timedOut: 0.125 },
    environments: {
      "A/Game": { reward: 0.5, success: expect.closeTo(0.4), meanTurns: 3, outOfTurns: null },
      "B/Game": { reward: expect.closeTo(0.1), success: null, meanTurns: null, outOfTurns: null },
      "Owner/Other": {
        reward: expect.closeTo(0.2),
        success: null,
        meanTurns: null,
        outOfTurns: null,
      },
    },
  });
});

it("measures nothing before the first step is complete", async () => {
  const { fileSystem } = await aRun([]);
  expect(await measureRun(fileSystem, PLACE)).toBeNull();
});

it("omits what another program's folder does not have", async () => {
  const { fileSystem } = await aRun([{ step: 0, rollout: { reward: { mean: "high" } } }]);
  fileSystem.files.delete("/runs/demo/config.resolved.json");
  expect(await measureRun(fileSystem, PLACE)).toMatchObject({
    steps: 1,
    totalSteps: null,
    reward: null,
    settings: undefined,
    environments: {},
    step: { tokens: null, costUsd: null, seconds: null },
  });
});
