/**
 * The outage test: trains with services that fail in every way, and compares the training data and the uploads with those of an
 * undisturbed run. Run: `npm run resilience:outage`; exits with code 1 on a difference.
 */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createUniform } from "../../src/shared/uniform.ts";
import {
  type Check,
  diskChecks,
  faultChecks,
  outageChecks,
  type Played,
  runChecks,
} from "./outage/checks.ts";
import { FaultLedger } from "./outage/faultPlan.ts";
import { readOutcome } from "./outage/outcome.ts";
import { disturb } from "./outage/scenario.ts";
import { SmallDisk } from "./outage/smallDisk.ts";
import { MODEL, openStage, type Stage, TOKENIZER } from "./outage/stage.ts";
import { startTrainer } from "./outage/trainer.ts";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "12" },
    faults: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    /** Further kills and full disks, alternating. */
    "random-faults": { type: "string", default: "0" },
    /** `kill`, `outages` or `disk`; may be given several times. */
    without: { type: "string", multiple: true, default: [] },
  },
});
const steps = Number(values.steps);
const faults = Number(values.faults);
const seed = Number(values.seed);
const faultCount = Number(values["random-faults"]);
const without = new Set(values.without);

function config(parent: string): string {
  return `
model_name: ${MODEL.client}
tokenizer_name: ${TOKENIZER}
lora_rank: 8
run_name: run
log_path: ${parent}
environments:
  calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 32
max_active_tasks: 128
max_steps: ${steps}
learning_rate: 1e-3
max_response_tokens: 48
max_total_tokens: 256
save_every: 10
rolling_save_every: 3
wandb: online
wandb_project_name: resilience
openreward_upload: true
# So that none exhausts.
max_rollout_retries: 40
rollout_timeout: 1800
session_timeout: 600
`;
}

const DISK_MEGABYTES = 32;

const home = mkdtempSync(join(tmpdir(), "tinker-rl-resilience-"));
const startedMs = Date.now();

function say(text: string): void {
  console.log(`${String(Math.round((Date.now() - startedMs) / 1000)).padStart(4)} s  ${text}`);
}

async function play<T>(
  name: string,
  parent: string,
  faults: FaultLedger | null,
  scene: (stage: Stage, configPath: string, run: string) => Promise<T>,
): Promise<Played & { readonly reported: T; readonly stage: Stage }> {
  const folder = join(home, name);
  mkdirSync(folder, { recursive: true });
  const configPath = join(folder, "config.yaml");
  writeFileSync(configPath, config(parent));
  const stage = await openStage({ folder, seed, ledger: faults });
  const run = join(parent, "run");
  try {
    const reported = await scene(stage, configPath, run);
    return { outcome: readOutcome(run, stage.store, steps), stage, reported };
  } finally {
    await stage.close();
  }
}

async function leaveAlone(stage: Stage, configPath: string, run: string): Promise<void> {
  const { code, stderr } = await startTrainer(["train", "-c", configPath], stage.variables, run)
    .ended;
  if (code !== 0) throw new Error(`the undisturbed run failed: ${stderr}`);
}

/** Folders of failed runs are kept for inspection. */
function keep(): void {
  if (disk !== null) cpSync(disk.folder, join(home, "disturbed", "runs"), { recursive: true });
  say(`the runs are in ${home}`);
}

function print(checks: readonly Check[]): void {
  for (const { what, counts, isGood } of checks) {
    console.log(`${what.padEnd(52)} ${isGood ? "ok       " : "DIFFERENT"}  ${counts}`);
  }
}

async function compareRuns(disk: SmallDisk | null): Promise<readonly Check[]> {
  say("a run that is left alone");
  const whole = await play("whole", join(home, "whole", "runs"), null, leaveAlone);
  say("the same run, disturbed");
  const ledger = new FaultLedger(faults);
  const parent = disk?.folder ?? join(home, "disturbed", "runs");
  const disturbed = await play("disturbed", parent, ledger, (stage, configPath, run) =>
    disturb({
      stage,
      configPath,
      run,
      steps,
      disk,
      without,
      faultCount,
      uniform: createUniform(seed),
      say,
    }),
  );
  return [
    ...runChecks(whole, disturbed, steps),
    ...(without.has("outages") ? [] : outageChecks(disturbed.stage)),
    ...(disk === null ? [] : diskChecks(disturbed.reported, disk.folder)),
    ...(faults === 0 ? [] : faultChecks(ledger)),
  ];
}

const disk = without.has("disk") ? null : SmallDisk.mount(join(home, "disk"), DISK_MEGABYTES);
let wrong = 1;
try {
  const checks = await compareRuns(disk);
  print(checks);
  wrong = checks.filter(({ isGood }) => !isGood).length;
  say(`${checks.length - wrong} passed, ${wrong} failed`);
} finally {
  if (wrong > 0) keep();
  disk?.unmount();
  if (wrong === 0) rmSync(home, { recursive: true });
}
process.exit(wrong === 0 ? 0 : 1);
