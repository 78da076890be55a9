/** Reads run folders for journeys. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface StoredRow {
  readonly step: number;
  readonly alarm?: Readonly<Record<string, number>>;
  readonly rollout: { readonly reward: { readonly mean: number } };
}

export function runIn(folder: string, name = "tinker-config"): string {
  return join(folder, ".tinker-rl", "runs", name);
}

/** The rows of `metrics.jsonl` so far, without a line that is still being written. */
function rowsOf(run: string): readonly StoredRow[] {
  const file = join(run, "metrics.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  // The evaluation after the last step has a row that is not a step.
  const steps = lines.filter((line) => !line.includes('"evaluation_only":true'));
  return steps.map((line) => JSON.parse(line) as StoredRow); // the product's own file
}

export function stepsOf(run: string): readonly number[] {
  return rowsOf(run).map(({ step }) => step);
}

/** The mean rewards of all steps. */
export function rewardsOf(run: string): readonly number[] {
  return rowsOf(run).map(({ rollout }) => rollout.reward.mean);
}

/** The alarms raised after the last step. */
export function firingIn(run: string): readonly string[] {
  const flags = rowsOf(run).at(-1)?.alarm ?? {};
  return Object.keys(flags).filter((id) => flags[id] === 1);
}

/** The trainer's process id in the run's last attempt. */
export function trainerOf(run: string): number {
  return Number(/"pid":\s*(\d+)/.exec(readFileSync(join(run, "run.json"), "utf8"))?.[1]);
}

/** `count` steps, counted from 0. */
export function stepsTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
