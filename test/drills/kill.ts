/**
 * The kill drill: ends a trainer with SIGKILL at every point of a step, resumes it, and compares metrics, tokens and requests
 * with those of a run that was left alone. Run: `npm run drill:kill` (about three minutes); ends with exit code 1 on a difference.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { comparableRow } from "../integration/comparableRow.ts";

const STEPS = 4;
const KILL_STEP = 2;
const POINTS = [
  "before rollouts",
  "amid rollouts",
  "after rollouts",
  "submitted forward_backward",
  "submitted optim_step",
  "submitted sampler",
  "submitted save_state",
  "answered forward_backward",
  "answered optim_step",
  "answered sampler",
  "answered save_state",
  "metrics row written",
  "state before rename",
  "state after rename",
] as const;
const VICTIM = resolve("dist/scripts/victim.js");

function config(saveEvery: number): string {
  return `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 4
max_steps: ${STEPS}
save_every: ${saveEvery}
rolling_save_every: 0
`;
}

interface Outcome {
  readonly metrics: readonly unknown[];
  readonly tokens: readonly string[];
  readonly requests: readonly string[];
}

function victim(folder: string, args: readonly string[]): { readonly killed: boolean } {
  const result = spawnSync(process.execPath, [VICTIM, ...args, join(folder, "requests.jsonl")], {
    env: { ...process.env, TINKER_RL_STORE: join(folder, "checkpoints") },
    encoding: "utf8",
  });
  const killed = result.signal === "SIGKILL";
  if (!killed && result.status !== 0) throw new Error(`the victim failed: ${result.stderr}`);
  return { killed };
}

/** Trains, is killed at the point, and is resumed if it was; null when the point never came. */
function drill(saveEvery: number, point: string): Outcome | null {
  const folder = mkdtempSync(join(tmpdir(), "tinker-rl-drill-"));
  const configPath = join(folder, "config.yaml");
  writeFileSync(configPath, config(saveEvery));
  const run = join(folder, ".tinker-rl", "runs", "run");
  // With a save every third step the first save comes after step 3, so the kill comes a step later.
  const killStep = String(saveEvery === 1 ? KILL_STEP : STEPS - 1);
  const { killed } = victim(folder, ["train", configPath, point, killStep]);
  if (point !== "none" && !killed) return null;
  if (killed) victim(folder, ["resume", run, "none", "0"]);
  return outcome(folder, run);
}

function outcome(folder: string, run: string): Outcome {
  const tokens = Array.from({ length: STEPS }, (_, step) => {
    const file = join(run, "rollouts", `step-00000${step}.tokens.bin`);
    return existsSync(file) ? readFileSync(file).toString("base64") : "";
  });
  return {
    tokens,
    metrics: lines(join(run, "metrics.jsonl")).map(comparableRow),
    requests: lastOfEachStep(lines(join(folder, "requests.jsonl"))),
  };
}

function lines(path: string): readonly unknown[] {
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

/**
 * The samples and updates of every step, each once: a repeat must send the same, so sorted and without doubles they are those of
 * an undisturbed run. Saves and samplers are made anew after a resume and are left out.
 */
function lastOfEachStep(requests: readonly unknown[]): readonly string[] {
  const kept = requests
    .map((request) => JSON.stringify(request))
    .filter((line) => /"kind":"(sample|forward_backward|optim_step)"/.test(line));
  return [...new Set(kept)].sort();
}

let differences = 0;
for (const saveEvery of [1, 3]) {
  const whole = drill(saveEvery, "none");
  for (const point of POINTS) {
    const result = drill(saveEvery, point);
    const same = result !== null && isDeepStrictEqual(result, whole);
    const word = result === null ? "never came" : same ? "equal" : "DIFFERENT";
    if (!same) differences += 1;
    console.log(`save_every ${saveEvery}  ${point.padEnd(28)} ${word}`);
  }
}
console.log(`${2 * POINTS.length - differences} passed, ${differences} failed`);
process.exitCode = differences === 0 ? 0 : 1;
