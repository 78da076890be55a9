/** The events that disturb a run: each waits until the run has reached its point. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { Ended } from "../../integration/trainProgram.ts";
import { Attempts } from "./attempts.ts";
import type { ServiceName } from "./faultRules.ts";
import { applyRandomFaults } from "./randomFaults.ts";
import type { SmallDisk } from "./smallDisk.ts";
import type { Stage } from "./stage.ts";
import type { Trainer } from "./trainer.ts";

export interface ScenarioOptions {
  readonly stage: Stage;
  readonly configPath: string;
  /** The run folder. */
  readonly run: string;
  readonly steps: number;
  /** Null = it does not fill up. */
  readonly disk: SmallDisk | null;
  /** Events to leave out. */
  readonly without: ReadonlySet<string>;
  /** How often the trainer is killed or its disk fills up at the end, at random times. */
  readonly faultCount: number;
  readonly uniform: () => number;
  readonly say: (text: string) => void;
}

export interface ScenarioResult {
  /** How the program ended each time its disk was full. */
  readonly diskErrors: readonly string[];
}

const BODIES = /^step-\d+\.jsonl$/;
const stateSchema = z.looseObject({ step: z.number() });

const DOWN_MS = 60_000;
const SHORT_MS = 15_000;
/** Each of the two is also down without the other. */
const TINKER_AFTER_MS = 30_000;
/** Rollouts after which a step counts as half done. */
const AMID = 40;
const DISK_LIMIT_MS = 90_000;

/** Returns once the run is done. @throws Error if an attempt ends unexpectedly */
export async function disturb(options: ScenarioOptions): Promise<ScenarioResult> {
  const { stage, configPath, run, steps, disk, without, faultCount, say } = options;
  /** A step that no attempt has started yet. */
  const at = (share: number): number => Math.max(Math.floor(steps * share), stepsBegun(run));
  const attempts = new Attempts(stage, configPath, run);
  try {
    if (!without.has("kill")) {
      await attempts.trainer.until("W&B has a step that is not saved", () =>
        isToldUnsaved(options),
      );
      say(`kill -9 when ${stage.wandb.rows().length} steps were sent and ${savedSteps(run)} saved`);
      await attempts.trainer.kill();
      attempts.resume();
    }
    if (!without.has("outages")) {
      const step = at(0.4);
      await attempts.trainer.reached(step, AMID);
      await allDown(options, attempts.trainer, step);
    }
    const diskErrors = disk === null ? [] : await fullDisk(options, attempts, disk, at(0.7));
    if (faultCount > 0) await applyRandomFaults({ ...options, attempts });
    requireDone(await attempts.trainer.ended);
    // Data that trackers could not write on a full disk waits for the next resume.
    if (faultCount > 0) attempts.resume();
    requireDone(await attempts.trainer.ended);
    return { diskErrors };
  } finally {
    await attempts.trainer.kill();
  }
}

/** How the program ended in the step, and at a resume before there was space again. */
async function fullDisk(
  { say }: ScenarioOptions,
  attempts: Attempts,
  disk: SmallDisk,
  step: number,
): Promise<readonly string[]> {
  await attempts.trainer.reached(step, AMID);
  say(`the disk is full (${disk.fill()} bytes) in step ${step + 1}`);
  const amid = await endOnFullDisk(attempts.trainer);
  attempts.resume();
  say("a resume before there is space again");
  const resumed = await endOnFullDisk(attempts.trainer);
  disk.free();
  attempts.resume();
  return [amid, resumed];
}

/** Such a step is repeated by a resume, and W&B must not receive it twice. */
function isToldUnsaved({ stage, run, steps }: ScenarioOptions): boolean {
  const { runs } = stage.wandb;
  const saved = savedSteps(run);
  return runs.size > 0 && saved > 0 && saved < steps && stage.wandb.rows().length > saved;
}

function stepsBegun(run: string): number {
  const files = existsSync(`${run}/rollouts`) ? readdirSync(`${run}/rollouts`) : [];
  return files.filter((name) => BODIES.test(name)).length;
}

function savedSteps(run: string): number {
  const path = `${run}/state.json`;
  return existsSync(path) ? stateSchema.parse(JSON.parse(readFileSync(path, "utf8"))).step : 0;
}

/** Uploads and rows queue up first; then the rollouts of the next step cannot be played, and finally nothing can be sampled. */
async function allDown(options: ScenarioOptions, trainer: Trainer, step: number): Promise<void> {
  const { stage, say } = options;
  const trackers = [outage(options, "uploads", DOWN_MS), outage(options, "wandb", DOWN_MS)];
  await trainer.reached(step + 1, 1);
  const environments = outage(options, "environments", DOWN_MS);
  await sleep(TINKER_AFTER_MS);
  await outage(options, "tinker", DOWN_MS);
  await Promise.all([...trackers, environments]);
  const { losses } = stage.training;
  await trainer.until("the next update", () => stage.training.losses > losses);
  say("in the middle of an update:");
  await outage(options, "tinker", SHORT_MS);
}

async function outage({ stage, say }: ScenarioOptions, name: ServiceName, ms: number) {
  say(`${name} is down for ${ms / 1000} s`);
  await stage.proxies[name].down(ms);
  say(`${name} is back`);
}

async function endOnFullDisk(trainer: Trainer): Promise<string> {
  const ended = await Promise.race([trainer.ended, sleep(DISK_LIMIT_MS, null, { ref: false })]);
  if (ended === null) throw new Error("the run went on, or hung, on a full disk");
  return `exit code ${ended.code}, ${ended.stderr.trim()}`;
}

function requireDone({ code, stderr }: Ended): void {
  if (code !== 0) throw new Error(`the run ended with exit code ${code}: ${stderr}`);
}
