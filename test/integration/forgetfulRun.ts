/** Runs on the embedded services in separate processes, behind a gateway that loses sessions. */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll } from "vitest";
import * as z from "zod";
import { resultChecks } from "../resilience/outage/checks.ts";
import { type Outcome, readOutcome } from "../resilience/outage/outcome.ts";
import { UploadGateway } from "../resilience/outage/uploadGateway.ts";
import { startWandbService } from "../resilience/outage/wandbService.ts";
import { linesIn, runIn } from "./controlledRun.ts";
import { type ForgetfulOptions, ForgetfulService } from "./forgetfulService.ts";
import { runFolderWith } from "./localRun.ts";
import { chained, renaming } from "./tinkerServersGaps.ts";
import { type Filter, startGateway } from "./tinkerServersProxy.ts";
import { type Ended, endOf, runProgram, startProgram, startServing } from "./trainProgram.ts";

export const STEPS = 5;
const MODEL = "Org/Tiny-tool-1";
const CONFIG = `
model_name: ${MODEL}
tokenizer_name: ${resolve("src/local/engine/model")}
lora_rank: 8
run_name: run
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 4
max_steps: ${STEPS}
learning_rate: 1e-3
warmup_steps: 0
max_active_tasks: 8
max_response_tokens: 48
max_total_tokens: 192
save_every: 0
rolling_save_every: 2
evaluation: { splits: { local/calculator: [test] }, every: 2, num_samples: 1, temperatures: [0.9] }
wandb: online
wandb_project_name: recovery
openreward_upload: true
`;
/** Occurs in every sampling request of an evaluation, and in no other. */
export const EVALUATING = '"temperature":0.9';

export interface PlayOptions {
  /** Lines of the configuration. */
  readonly settings?: string;
  /** The gateway that loses sessions. */
  readonly filter?: Filter;
  /** Changes the run further. */
  readonly disturb?: (
    folder: string,
    send: (signal: NodeJS.Signals) => void,
    resume: () => Promise<Ended>,
  ) => Promise<void>;
}

export interface PlayedRun extends Ended {
  readonly folder: string;
  readonly service: ForgetfulService;
  readonly outcome: () => Outcome;
  /** How this run differs from an undisturbed one, and what its services did not receive. */
  readonly differencesFrom: (whole: Outcome) => readonly string[];
  readonly resume: () => Promise<Ended>;
}

interface ForgetfulStage {
  /** Trains to the end. */
  readonly play: (options?: ForgetfulOptions, more?: PlayOptions) => Promise<PlayedRun>;
}

const UNCHANGED: Filter = { request: (passing) => passing, answer: (answer) => answer };

/** Opened before the tests of the file, and closed after them. */
export function forgetfulStage(): ForgetfulStage {
  const closing: (() => void)[] = [];
  let store: string;
  let serving: Awaited<ReturnType<typeof startServing>>;
  beforeAll(async () => {
    store = join(await runFolderWith(""), "checkpoints");
    serving = await startServing(store);
  });
  afterAll(async () => {
    for (const each of closing) each();
    await serving.stop();
  });

  const play: ForgetfulStage["play"] = async (options = {}, more = {}) => {
    const { settings = "", disturb } = more;
    const service = new ForgetfulService(options);
    const filters = chained(more.filter ?? UNCHANGED, service);
    const filter = chained(filters, renaming("local/tiny-tool", MODEL));
    const gateway = await startGateway({ upstream: serving.tinkerUrl, prefix: "", filter });
    const wandb = await startWandbService();
    const uploads = await UploadGateway.start();
    for (const each of [gateway, wandb, uploads]) closing.push(() => each.close());
    const folder = await runFolderWith(CONFIG + settings);
    const variables = {
      TINKER_API_KEY: serving.key,
      TINKER_BASE_URL: gateway.url,
      OPENREWARD_API_KEY: "or_recovery",
      OPENREWARD_API_URL: uploads.url,
      WANDB_API_KEY: "k".repeat(40),
      WANDB_BASE_URL: wandb.url,
    };
    const child = startProgram(["train", "-c", join(folder, "config.yaml")], variables);
    const ended = endOf(child);
    const resume = () => runProgram(["resume", runIn(folder)], variables);
    await disturb?.(folder, (signal) => child.kill(signal), resume);
    const end = await ended;
    const outcome = (): Outcome => readOutcome(runIn(folder), store, STEPS);
    const reported = () => ({ outcome: outcome(), stage: { uploads, wandb: wandb.fake } });
    return {
      folder,
      service,
      outcome,
      resume,
      ...end,
      differencesFrom: (whole) =>
        resultChecks(whole, reported(), STEPS)
          .filter(({ isGood }) => !isGood)
          .map(({ what, counts }) => `${what}: ${counts}`),
    };
  };
  return { play };
}

const eventSchema = z.object({ timeMs: z.number(), kind: z.string(), message: z.string() });
export type Event = z.infer<typeof eventSchema>;

/** Events of one kind, in order. */
export async function events(folder: string, kind: string): Promise<readonly Event[]> {
  const all = await linesIn(folder, "events.jsonl", eventSchema);
  return all.filter((event) => event.kind === kind);
}

export async function messages(folder: string, kind: string): Promise<readonly string[]> {
  return (await events(folder, kind)).map(({ message }) => message);
}

/** Finished rollouts of a step. */
export function played(folder: string, step: number): number {
  const path = join(runIn(folder), "rollouts", `step-00000${step}.jsonl`);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}
