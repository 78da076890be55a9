/**
 * Compares estimates with what whole runs took: three configurations on the embedded engine with made-up prices, each estimated from two
 * groups in each environment before it is trained. Ends with exit code 1 when an estimate is off by more than a quarter of the cost.
 * Run: `npm run bench:estimate`, some minutes.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EstimateReport } from "../src/core/estimate/report.ts";
import { readUsage } from "../src/core/runFolder/usageLog.ts";
import { costOf } from "../src/core/usage/prices.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { startEstimate, startTraining } from "../src/trainer/trainer.ts";

const GROUPS = 2;
const MAX_ERROR = 0.25;
const PRICES = { sampled: 440, prefill_cached: 39, prefill_uncached: 195, trained: 600 };

const COMMON = `
model_name: local/tiny-tool
run_name: run
seed: 7
save_every: 0
rolling_save_every: 0
prices: ${JSON.stringify(PRICES)}
`;

const CONFIGURATIONS = {
  "calculator, evaluated": `
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0, max_turns: 8 }
batch_size: 8
max_steps: 20
evaluation: { splits: { local/calculator: [test] }, every: 10, num_samples: 32, temperatures: [0, 1] }
`,
  "depot, a step ahead, with kl_coef and a correction": `
environments:
  local/depot: { splits: { train: {} }, num_rollouts: 6, nonterminal_reward: 0 }
batch_size: 8
max_steps: 12
max_steps_off_policy: 1
kl_coef: 0.01
off_policy_correction: tis
`,
  "calculator and depot, refilled, evaluated": `
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 6, nonterminal_reward: 0, weight: 2 }
  local/depot: { splits: { train: {} }, num_rollouts: 6, nonterminal_reward: 0, weight: 1 }
mix: weighted
batch_size: 6
max_steps: 12
refill: true
max_refill_batches: 2
evaluation: { splits: { local/calculator: [test], local/depot: [test] }, every: 4, num_samples: 12, temperatures: [1] }
`,
} as const;

const folder = await mkdtemp(join(tmpdir(), "tinker-rl-bench-"));
process.env["TINKER_RL_STORE"] = join(folder, "checkpoints");
const fileSystem = createFileSystem();
const started = {
  owner: "terminal",
  programFolder: resolve("dist/trainer"),
  watch: () => {},
} as const;

async function estimated(configPath: string): Promise<EstimateReport> {
  const reports: EstimateReport[] = [];
  const onEstimate = (report: EstimateReport) => reports.push(report);
  await startEstimate({ ...started, configPath, from: null, groups: GROUPS, onEstimate }).ended;
  const [report] = reports;
  if (report === undefined) throw new Error("there was no estimate");
  return report;
}

/** USD of the whole run. */
async function trained(configPath: string): Promise<number> {
  const { folder: run } = await startTraining({ ...started, configPath }).ended;
  if (run === null) throw new Error("the run has no folder");
  const { training, evaluation } = await readUsage(fileSystem.within(run), run);
  return costOf(training, PRICES) + costOf(evaluation, PRICES);
}

const usd = (value: number): string => value.toFixed(2).padStart(8);
let worst = 0;
try {
  console.log("configuration".padEnd(52), "estimate      from        to     whole   error");
  for (const [name, text] of Object.entries(CONFIGURATIONS)) {
    const configPath = join(folder, `${name.replaceAll(/\W+/g, "-")}`, "config.yaml");
    await fileSystem.makeDirectory(join(configPath, ".."));
    await writeFile(configPath, COMMON + text);
    const { costUsd } = (await estimated(configPath)).estimate;
    if (costUsd === null) throw new Error("there are no prices");
    const whole = await trained(configPath);
    const error = costUsd.mean / whole - 1;
    worst = Math.max(worst, Math.abs(error));
    const numbers = [costUsd.mean, costUsd.low, costUsd.high, whole].map(usd).join("  ");
    console.log(name.padEnd(52), numbers, `${(100 * error).toFixed(0).padStart(6)} %`);
  }
} finally {
  await fileSystem.close();
  await rm(folder, { recursive: true });
}
process.exitCode = worst > MAX_ERROR ? 1 : 0;
