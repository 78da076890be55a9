/**
 * Compares estimates with the actual cost of runs: configurations on the embedded engine with made-up prices. For each, `PLAYED` groups
 * are played once, and every two consecutive groups per environment yield an estimate, so that one run tests many.
 * Exits with code 1 if fewer than 90% of the estimates are within 25% of the cost or have it in their range.
 * Run: `npm run bench:estimate`, some minutes; with seeds other than 7: `npm run bench:estimate -- 8 9`.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Basis, readBasis } from "../src/core/estimate/basis.ts";
import { type EstimateRange, estimateRun } from "../src/core/estimate/estimate.ts";
import type { EstimatePlan } from "../src/core/estimate/plan.ts";
import { readUsage } from "../src/core/runFolder/usageLog.ts";
import { costOf } from "../src/core/usage/prices.ts";
import { addTokens, type TokenUsage } from "../src/core/usage/tokenUsage.ts";
import { mean } from "../src/core/util/stats.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { DRY_RUN_GROUPS } from "../src/shared/dryRun.ts";
import { loadConfig } from "../src/trainer/config/configFiles.ts";
import { startDryRun, startTraining } from "../src/trainer/trainer.ts";
import { inBenchFolder, PROGRAMS } from "./benchFolder.ts";

const PLAYED = 32;
const MAX_ERROR = 0.25;
/** Target share of results within the estimated ranges. */
const AIM = 0.9;
const PRICES = { sampled: 440, prefill_cached: 39, prefill_uncached: 195, trained: 600 };

const SEEDS = process.argv.length > 2 ? process.argv.slice(2) : ["7"];

const COMMON = `
model_name: local/tiny-tool
run_name: run
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
  "number hunt, two updates a step": `
environments:
  local/number-hunt: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0 }
batch_size: 6
num_substeps: 2
max_steps: 16
`,
  "depot, two steps ahead, large groups, short answers": `
environments:
  local/depot: { splits: { train: {} }, num_rollouts: 12, nonterminal_reward: 0, max_turns: 4 }
batch_size: 3
max_response_tokens: 64
max_steps: 10
max_steps_off_policy: 2
evaluation: { splits: { local/depot: [test] }, every: 5, num_samples: 6, rollouts_per_task: 3, temperatures: [1] }
`,
} as const;

const fileSystem = createFileSystem();
const started = {
  owner: "terminal",
  programFolder: PROGRAMS,
  watch: () => {},
} as const;

interface Played {
  readonly basis: Basis;
  readonly plan: EstimatePlan;
}

async function playGroups(configPath: string): Promise<Played> {
  const all: Played[] = [];
  const onPlayed = async (dry: string, { plan }: { readonly plan: EstimatePlan }) => {
    const { config } = await loadConfig(fileSystem, configPath);
    const steps = await readBasis(fileSystem.within(dry), dry, config);
    const basis = { ...steps, isForwardOnly: true };
    all.push({ basis, plan });
  };
  await startDryRun({ ...started, configPath, groups: PLAYED, isKept: false, onPlayed }).ended;
  const [played] = all;
  if (played === undefined) throw new Error("nothing was played");
  return played;
}

/** Estimates in USD, each from as many groups as the command plays. */
function estimates({ basis, plan }: Played): readonly EstimateRange[] {
  const environments = new Set(basis.groups.map(({ environment }) => environment)).size;
  const count = DRY_RUN_GROUPS * environments;
  return Array.from({ length: basis.groups.length - count + 1 }, (_, from) => {
    const groups = basis.groups.slice(from, from + count);
    const { costUsd } = estimateRun({ ...basis, groups }, plan, PRICES);
    if (costUsd === null) throw new Error("there are no prices");
    return costUsd;
  });
}

/** Tokens used by the whole run. */
async function trained(configPath: string): Promise<TokenUsage> {
  const { folder: run } = await startTraining({ ...started, configPath }).ended;
  if (run === null) throw new Error("the run has no folder");
  const { training, evaluation } = await readUsage(fileSystem.within(run), run);
  return addTokens(training, evaluation);
}

const percent = (share: number): string => `${(100 * share).toFixed(0)}%`.padStart(7);
const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;
const judged: { readonly isNear: boolean; readonly isInRange: boolean }[] = [];
await inBenchFolder(async (folder) => {
  process.env["TINKER_RL_STORE"] = join(folder, "checkpoints");
  console.log(`${"configuration".padEnd(52)} seed   whole    mean   worst  within   in range`);
  const each = SEEDS.flatMap((seed) =>
    Object.entries(CONFIGURATIONS).map(([name, text]) => ({ seed, name, text })),
  );
  for (const { seed, name, text } of each) {
    const configPath = join(folder, `${name.replaceAll(/\W+/g, "-")}-${seed}`, "config.yaml");
    await fileSystem.makeDirectory(join(configPath, ".."));
    await writeFile(configPath, `${COMMON}seed: ${seed}\n${text}`);
    const estimated = estimates(await playGroups(configPath));
    const whole = costOf(await trained(configPath), PRICES);
    const errors = estimated.map(({ mean }) => mean / whole - 1);
    const own = estimated.map(({ low, high }, i) => ({
      isNear: Math.abs(errors[i] ?? 0) <= MAX_ERROR,
      isInRange: low <= whole && whole <= high,
    }));
    judged.push(...own);
    const numbers = [
      mean(errors) ?? 0,
      Math.max(...errors.map(Math.abs)),
      share(own.map(({ isNear }) => isNear)),
      share(own.map(({ isInRange }) => isInRange)),
    ].map(percent);
    console.log(name.padEnd(52), seed.padStart(4), whole.toFixed(2).padStart(7), ...numbers);
  }
});
await fileSystem.close();
const near = share(judged.map(({ isNear }) => isNear));
const inRange = share(judged.map(({ isInRange }) => isInRange));
console.log(`within ${percent(MAX_ERROR)} of the cost: ${percent(near)} (aim: ${percent(AIM)})`);
console.log(`cost in the range: ${percent(inRange)} (aim: ${percent(AIM)})`);
process.exitCode = Math.min(near, inRange) < AIM ? 1 : 0;
