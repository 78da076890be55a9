/**
 * A trainer that kills itself, like a power failure, at one named point: `killedTrainer.js train CONFIG POINT STEP LOG` or
 * `killedTrainer.js resume FOLDER none 0 LOG`. LOG receives every training and sampling request, one JSON line each, before it is sent.
 */

import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileSystem } from "../../src/core/ports.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import type { SamplingClient } from "../../src/core/tinker/samplingClient.ts";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import { RunControl } from "../../src/core/training/run/control.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { loadConfig } from "../../src/trainer/config/configFiles.ts";
import { planResume } from "../../src/trainer/resume/resume.ts";
import { executeRun } from "../../src/trainer/run/run.ts";
import { CleanupStack } from "../../src/trainer/services/cleanupStack.ts";
import { debugLog } from "../../src/trainer/services/debugLog.ts";
import { planNewRun } from "../../src/trainer/trainer.ts";

const [mode = "", path = "", point = "none", stepText = "0", log = ""] = process.argv.slice(2);
const killStep = Number(stepText);
/** Time until a submitted request is on the wire. */
const ON_THE_WIRE_MS = 25;
/** Time until the next update is submitted while one runs. */
const AHEAD_LIMIT_MS = 60_000;
/** Time for started rollouts to end while the run is paused. */
const PAUSE_MS = 500;
let step = 0;
/** Completed steps, during an evaluation. */
let evaluated: number | null = null;
/** The first step of this attempt. */
let firstStep = 0;
/** The updates of this attempt. Every step makes one. */
let updates = 0;
let rows = 0;

function die(here: string, at = step): void {
  if (here === point && at === killStep) process.kill(process.pid, "SIGKILL");
}

function record(kind: string, content: unknown, place: object): void {
  appendFileSync(log, `${JSON.stringify({ ...place, kind, content })}\n`);
}

/** Logs a call, kills after its submission or after its result. */
async function killable<T>(name: string, content: unknown, call: () => Promise<T>): Promise<T> {
  // Calls after an update belong to its step; the step before may still be in progress.
  const at = firstStep + updates - (name === "forward_backward" ? 0 : 1);
  record(name, content, {});
  const result = call();
  setTimeout(() => die(`submitted ${name}`, at), ON_THE_WIRE_MS);
  const value = await result;
  die(`answered ${name}`, at);
  return value;
}

function killableSampler(sampler: SamplingClient): SamplingClient {
  return {
    ...sampler,
    sample: (request, options) => {
      record("sample", request, evaluated === null ? { step } : { evaluated });
      return sampler.sample(request, options);
    },
  };
}

function killableClient(client: TrainingClient): TrainingClient {
  return {
    ...client,
    forwardBackward: (data, loss, config, options) => {
      const call = () => client.forwardBackward(data, loss, config, options);
      // Each attempt probes the server before its first update, which trains nothing.
      if (options?.forwardOnly === true) return call();
      return killable("forward_backward", { data: data.map(plain), loss, config }, call);
    },
    optimStep: async (params) => {
      updates += 1;
      const at = firstStep + updates - 1;
      const result = killable("optim_step", params, () => client.optimStep(params));
      await killBeforeRow(at);
      return await result;
    },
    saveState: (name, options) =>
      killable("save_state", name, () => client.saveState(name, options)),
    ephemeralSampler: () =>
      killable("sampler", null, async () => killableSampler(await client.ephemeralSampler())),
    // A checkpoint's sampler comes with its state.
    saveSampler: (name, options) =>
      name.startsWith("sampler_")
        ? killable("sampler", null, () => client.saveSampler(name, options))
        : client.saveSampler(name, options),
  };
}

/** At the point between the submission of the next update and the row of this one: waits for that submission, and kills. */
async function killBeforeRow(at: number): Promise<void> {
  const here = "submitted ahead";
  if (point !== here || at !== killStep) return;
  const endMs = Date.now() + AHEAD_LIMIT_MS;
  while (updates <= rows + 1 && Date.now() < endMs) await sleep(ON_THE_WIRE_MS);
  if (updates > rows + 1) die(here, at);
}

function plain({ tokens, lossInputs }: { tokens: ArrayLike<number>; lossInputs: object }): unknown {
  const inputs = Object.entries(lossInputs).map(([name, values]) => [name, Array.from(values)]);
  return { tokens: Array.from(tokens), ...Object.fromEntries(inputs) };
}

function killableFiles<T extends FileSystem>(fileSystem: T): T {
  return {
    ...fileSystem,
    append: async (file, data) => {
      const result = file.endsWith("/eval/results.jsonl") ? stepOf(data) : null;
      if (result !== null) die("evaluation before its results", result);
      const offset = await fileSystem.append(file, data);
      if (result !== null) die("evaluation results written", result);
      const played = /\/eval\/step-(\d+)\.jsonl$/.exec(file)?.[1];
      if (played !== undefined) die("amid evaluation", Number(played));
      if (file.endsWith("/metrics.jsonl")) {
        rows += 1;
        die("metrics row written");
      }
      return offset;
    },
    writeAtomic: async (file, data) => {
      const saved = file.endsWith("/state.json") ? stepOf(data) - 1 : null;
      if (saved !== null) die("state before rename", saved);
      await fileSystem.writeAtomic(file, data);
      if (saved !== null) die("state after rename", saved);
    },
    rename: async (from, to) => {
      await fileSystem.rename(from, to);
      if (to.includes("/pending/")) die("group stored");
    },
    within: (folder) => killableFiles(fileSystem.within(folder)),
  };
}

/** Completed steps of a state or of an evaluation. */
function stepOf(data: string | Uint8Array): number {
  const text = typeof data === "string" ? data : new TextDecoder().decode(data);
  const { step: completed }: { readonly step: number } = JSON.parse(text);
  return completed;
}

function watch(event: ProgressEvent): void {
  if (event.kind === "started") {
    step = event.step;
    firstStep = step;
  }
  if (event.kind === "step-started") {
    step = event.step;
    die("before rollouts");
    if (point === "paused" && step === killStep) control.pause();
  }
  if (event.kind === "paused") setTimeout(() => die("paused"), PAUSE_MS);
  if (event.kind === "evaluating") evaluated = event.step;
  if (event.kind === "evaluated") evaluated = null;
  if (event.kind === "rollout-finished" && event.done === Math.floor(event.rollouts / 2)) {
    if (evaluated === null) die("amid rollouts");
  }
  if (event.kind === "training") {
    step = event.step;
    die("after rollouts");
  }
}

const control = new RunControl();
const fileSystem = killableFiles(createFileSystem());
const cleanup = new CleanupStack();
const plan =
  mode === "resume"
    ? await planResume(fileSystem, { folder: path, owner: "terminal" })
    : planNewRun(fileSystem, { owner: "terminal" }, await loadConfig(fileSystem, path));
const programs = { folder: resolve("dist/trainer") };
await executeRun(
  {
    programs,
    allowedOrigins: [],
    control,
    log: debugLog,
    redactor: new Redactor(),
    cleanup,
    watch,
  },
  {
    ...plan,
    createModel: async (...args) => {
      const model = await plan.createModel(...args);
      return { ...model, client: killableClient(model.client) };
    },
  },
);
await cleanup.closeAll();
process.exit(0);
