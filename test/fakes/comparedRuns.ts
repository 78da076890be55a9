/** Generated folders of many finished runs that differ in a few settings, for the runs table and comparisons. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import type { MetricsTree } from "../../src/core/runFolder/metrics/metricsTree.ts";
import type { RunFile, RunPhase } from "../../src/shared/runFile.ts";
import { createUniform } from "../../src/shared/uniform.ts";
import { aRecord, aRunFile, rolloutFacts, stepFacts } from "../core/runFolder/builders.ts";

export interface ComparedRunsOptions {
  readonly count: number;
  readonly steps: number;
  /** Number of tasks in each of two evaluations; 0 = no evaluation. */
  readonly tasks?: number;
}

const RATES = [0.00001, 0.0001, 0.001];
const SEEDS = 3;
const PHASES: readonly RunPhase[] = ["done", "done", "done", "stopped", "failed"];
const FIRST_START_MS = Date.UTC(2026, 9, 1, 8);

/** Fields of a real row in addition to those written here. */
const ROW = buildMetricsRow(stepFacts({ rollouts: [rolloutFacts()] }));

/** Writes runs named `lr-1e-4-seed-2`, with `-2`, `-3`, … appended in later rounds. Returns their folders. */
export function writeComparedRuns(
  parent: string,
  { count, steps, tasks = 0 }: ComparedRunsOptions,
): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const rate = RATES[Math.floor(index / SEEDS) % RATES.length] ?? 0;
    const seed = (index % SEEDS) + 1;
    const round = Math.floor(index / (RATES.length * SEEDS));
    const name = `lr-${rate.toExponential()}-seed-${seed}${round === 0 ? "" : `-${round + 1}`}`;
    const folder = join(parent, name);
    mkdirSync(join(folder, "eval"), { recursive: true });
    const put = (file: string, text: string): void => writeFileSync(join(folder, file), text);
    put("run.json", JSON.stringify(runFile(name, index)));
    put("config.resolved.json", JSON.stringify(config({ rate, seed, round, steps }), null, 2));
    put("metrics.jsonl", jsonLines(rowsOf({ rate, index, steps })));
    if (tasks > 0) writeEvaluations(put, { rate, index, steps, tasks });
    return folder;
  });
}

function runFile(name: string, index: number): RunFile {
  return aRunFile({
    runId: name,
    name,
    startedAtMs: FIRST_START_MS + index * 3_600_000,
    heartbeatAtMs: FIRST_START_MS + index * 3_600_000,
    phase: PHASES[index % PHASES.length] ?? "done",
    configPath: "/project/tinker-config.yaml",
  });
}

interface RunChoice {
  readonly rate: number;
  readonly index: number;
  readonly steps: number;
}

function config({
  rate,
  seed,
  round,
  steps,
}: Omit<RunChoice, "index"> & { readonly seed: number; readonly round: number }): object {
  return {
    model_name: "local/tiny-tool",
    lora_rank: 8,
    environments: { "local/calculator": { num_rollouts: round % 2 === 0 ? 8 : 16 } },
    batch_size: 16,
    max_steps: steps,
    seed,
    learning_rate: rate,
    loss_fn: "ppo",
    loss_normalization: "token_sum",
    max_response_tokens: 48,
    log_path: null,
  };
}

/** Higher rates learn faster; the highest one declines again. */
function rowsOf({ rate, index, steps }: RunChoice): readonly object[] {
  const uniform = createUniform(index + 1);
  const pace = Math.log10(rate) + 6;
  let tokens = 0;
  return Array.from({ length: steps }, (_, step) => {
    const share = step / steps;
    const decline = rate >= 0.001 ? 0.6 * Math.max(0, share - 0.6) : 0;
    const level = 0.9 * (1 - Math.exp(-pace * share)) - decline;
    const mean = Math.max(0, Math.min(1, level + 0.08 * (uniform() - 0.5)));
    tokens += 2_000 + Math.floor(500 * uniform());
    return {
      ...ROW,
      step,
      loss: 10 ** (1 - 3 * share) * (0.8 + 0.4 * uniform()),
      progress: { ...branch("progress"), done_frac: (step + 1) / steps, attempt: 1 },
      rollout: {
        ...branch("rollout"),
        reward: { mean, min: 0, max: 1, std: Math.sqrt(mean * (1 - mean)), count: 128 },
        success_frac: mean,
      },
      tokens: {
        ...branch("tokens"),
        cumulative: {
          sampled: tokens,
          prefill_cached: 0,
          prefill_uncached: tokens,
          trained: tokens,
        },
      },
      cost: { cumulative_usd: tokens * 1e-6 },
      time: { ...branch("time"), total_s: 2 + uniform() },
    };
  });
}

function branch(name: string): MetricsTree {
  const value = ROW[name];
  return typeof value === "object" && value !== null ? value : {};
}

function writeEvaluations(
  put: (file: string, text: string) => void,
  { rate, index, steps, tasks }: RunChoice & { readonly tasks: number },
): void {
  const uniform = createUniform(1_000 + index);
  const lines = [0, steps].map((step) => {
    const chance = step === 0 ? 0.2 : 0.2 + 0.15 * (Math.log10(rate) + 6);
    const rewards = Array.from({ length: tasks }, (_, task) =>
      // Some tasks are harder for all runs.
      uniform() < chance * (0.4 + (1.2 * task) / tasks) ? 1 : 0,
    );
    const records = rewards.map((reward, task) => ({
      ...aRecord({
        step,
        group: task,
        rollout: 0,
        index: task,
        split: "test",
        reward,
        taskKey: `local/calculator:test:${task}`,
      }),
      temperature: 0,
      purpose: "periodic",
      tokenData: [],
    }));
    put(`eval/step-${String(step).padStart(6, "0")}.jsonl`, jsonLines(records));
    const rewardMean = rewards.reduce<number>((sum, reward) => sum + reward, 0) / tasks;
    const reach = 1.96 * Math.sqrt((rewardMean * (1 - rewardMean)) / tasks);
    return {
      step,
      purpose: "periodic",
      timeMs: FIRST_START_MS + step,
      results: [
        {
          environment: "local/calculator",
          split: "test",
          temperature: 0,
          tasks,
          rollouts: tasks,
          rewardMean,
          low: rewardMean - reach,
          high: rewardMean + reach,
          successFraction: rewardMean,
          failed: 0,
          tokensMean: 12,
          turnsMean: 1,
          failureReward: 0,
          successReward: 1,
          passAtK: [],
        },
      ],
    };
  });
  put("eval/results.jsonl", jsonLines(lines));
}

function jsonLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
