/** A run whose metrics a configuration shows, as a trainer leaves it. */

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { checkText } from "../../src/core/config/check.ts";
import { aRunFile } from "../core/runFolder/builders.ts";
import { runIn } from "./runFiles.ts";

const STEPS = 41;
const PLANNED = 300;

/** Writes a run folder for the configuration `name` in `folder`, stopped after 41 of 300 steps. */
export function writeMeasuredRun(folder: string, name: string, text: string): void {
  const run = runIn(folder, "measured");
  mkdirSync(run, { recursive: true });
  const rows = Array.from({ length: STEPS }, (_, step) => JSON.stringify(rowOf(step)));
  const file = aRunFile({
    runId: "measured",
    name: "measured",
    host: hostname(),
    startedAtMs: Date.now() - 7_200_000,
    heartbeatAtMs: Date.now() - 3_600_000,
    generation: 1,
    configPath: join(folder, name),
  });
  const { config } = checkText(text, { path: name });
  writeFileSync(join(run, "config.resolved.json"), JSON.stringify(config));
  writeFileSync(join(run, "metrics.jsonl"), `${rows.join("\n")}\n`);
  writeFileSync(join(run, "run.json"), JSON.stringify(file));
}

/** Appends the steps up to `end`, as its trainer would. */
export function addMeasuredSteps(folder: string, end: number): void {
  const rows = Array.from({ length: end - STEPS }, (_, index) => rowOf(STEPS + index));
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  appendFileSync(join(runIn(folder, "measured"), "metrics.jsonl"), lines);
}

function rowOf(step: number): object {
  const reward = { mean: Math.min(1, 0.4 + step / 400) };
  const stopped = { reached_terminal_state: { frac: 0.97 }, max_turns: { frac: 0.03 } };
  const turns = { mean: 1.6 };
  return {
    step,
    progress: {
      done_frac: (step + 1) / PLANNED,
      elapsed_s: 95 * (step + 1),
      eta_s: 95 * (PLANNED - 1 - step),
    },
    tokens: {
      sampled: 212_000,
      prefill_cached: 40_000,
      prefill_uncached: 90_000,
      trained: 70_301,
      cumulative: { sampled: 1, prefill_cached: 2, prefill_uncached: 3, trained: 20_600_000 },
      discarded: { sampled: 0, prefill_cached: 0, prefill_uncached: 0, trained: 0 },
      evaluation: { sampled: 0, prefill_cached: 0, prefill_uncached: 0, trained: 0 },
    },
    cost: { step_usd: 0.83, cumulative_usd: 34.03, evaluation_usd: 0 },
    time: { total_s: 95 },
    optim: { lr: 1e-3, grad_norm: 0.42 },
    group: { frac_mixed: 0.38 },
    rollout: {
      reward,
      turn_truncated_frac: 0.021,
      stop_reason: stopped,
      tokens_per_turn: { mean: 812, max: 3910 },
      total_tokens: { mean: 1620, max: 8120 },
      env: { calculator: { reward, success_frac: 0.41, turns, stop_reason: stopped } },
    },
  };
}
