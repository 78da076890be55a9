/** A folder as written by the Python program: a metrics file in which `json.dumps` has written NaN for missing numbers. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Rows with nested metrics but no costs or rollouts; a restart that counts from 0 again repeats the first ones. */
function pythonMetrics(steps: number): string {
  const first = Array.from({ length: 3 }, (_, step) => rowOf(step));
  return [...first, ...Array.from({ length: steps }, (_, step) => rowOf(step))]
    .map((row) => `${pythonJson(row)}\n`)
    .join("");
}

export function writePythonRun(parent: string, steps: number, name = "python-run"): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "metrics.jsonl"), pythonMetrics(steps));
  return folder;
}

function rowOf(step: number): object {
  const reward = stats(Math.min(1, 0.2 + step / 50), step === 1 ? 1 : 64);
  return {
    step,
    lr: 0.00001,
    loss: step === 2 ? Number.NaN : -0.04 * step,
    tinker: { loss: { sum: -2.5 } },
    num_groups: 8,
    num_excluded_groups: 2,
    num_rollouts: 64,
    num_timed_out: 0,
    num_errors: 1,
    rollout: {
      reward,
      response_tokens: stats(420 + step, 64),
      stop_reason: {
        reached_terminal_state: { count: 60, frac: 0.9375 },
        max_tokens: { count: 3, frac: 0.046875 },
        error: { count: 1, frac: 0.015625 },
      },
      env: { WhoDunIt: { reward } },
    },
    advantage: stats(0, 64),
    time: { rollout_s: 61.5, train_s: 12.25, sampler_s: 3.5, total_s: 77.25 },
  };
}

/** The sample standard deviation of a single value is NaN. */
function stats(mean: number, count: number): object {
  return { mean, min: mean - 0.1, max: mean + 0.1, std: count < 2 ? Number.NaN : 0.05, count };
}

/** Like `json.dumps`: with spaces, and with words for values that JSON does not have. */
function pythonJson(value: unknown): string {
  if (typeof value === "number" && Number.isNaN(value)) return "NaN";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `"${key}": ${pythonJson(each)}`);
  return `{${entries.join(", ")}}`;
}
