/**
 * Measures what the training client itself costs: the real loop, clients and HTTP against stand-ins in a process of their own,
 * which wait like services do and compute nothing. Run: `npm run bench:loop`; arguments choose, as in
 * `npm run bench:loop -- 256 step` for 256 rollouts in flight and a training step. Event-loop delays grow when other work takes
 * the processor, CPU seconds hardly do. Peaks of the resident size are those of the process so far. For a profile:
 * `node --cpu-prof scripts/run.mjs bench/loop.ts 256`.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Ledger } from "../src/core/rollout/ledger.ts";
import type { FinishedRollout, RolloutTask } from "../src/core/rollout/rollout.ts";
import { rolloutSeed } from "../src/core/rollout/seeds.ts";
import { combineResults } from "../src/core/tinker/combine.ts";
import { chunkData, toWireData } from "../src/core/tinker/datum.ts";
import {
  decodeForwardBackwardOutput,
  encodeForwardBackwardOutput,
  encodeForwardBackwardRequest,
} from "../src/core/tinker/wireProto.ts";
import { runLimits } from "../src/core/training/context.ts";
import { buildDatum, type TrainingDatum, toWireDatum } from "../src/core/training/datums.ts";
import { playRollouts } from "../src/core/training/playRollouts.ts";
import { trainStep } from "../src/core/training/trainStep.ts";
import { systemClock } from "../src/node/clock.ts";
import { Closers } from "../src/trainer/closers.ts";
import { type Measurement, medianSeconds, print } from "./measure.ts";
import { ENVIRONMENT, openStandInRun, type StandInRun } from "./standInRun.ts";

/** What is measured when no argument chooses: numbers of rollouts in flight, and the training step. */
const STEP = "step";
const ALL = ["64", "256", "4096", STEP];
/** Few rollouts at once are followed by more, so that start and end matter less. */
const WAVES = 4;
const MOST_ROLLOUTS = 4_096;
/** Played before anything is measured, so that the code is compiled. */
const WARM_UP_ROLLOUTS = 128;

const DATUMS = 4_096;
const GROUP_SIZE = 8;
const PROMPT_TOKENS = 111;
const TURNS = 3;
const TURN_TOKENS = 50;
const BRIDGE_TOKENS = 20;
/** Default limits of the service (Tinker wire, section 7.2). */
const CHUNK_LIMITS = { maxDatums: 1_024, maxBytes: 5_000_000 };

const DELAY_RESOLUTION_MS = 10;
const HEAP_INTERVAL_MS = 100;

interface Observed<Result> {
  readonly result: Result;
  readonly cpuS: number;
  readonly wallS: number;
  readonly measurements: readonly Measurement[];
}

/** Runs `action` and notes what it does to the process. */
async function observe<Result>(
  name: string,
  action: () => Promise<Result>,
): Promise<Observed<Result>> {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  let heapBytes = 0;
  const noteHeap = (): void => {
    heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed);
  };
  const timer = setInterval(noteHeap, HEAP_INTERVAL_MS);
  delay.enable();
  // Delays are seen between two ticks, so there is one before the action and one after it.
  await systemClock.sleep(2 * DELAY_RESOLUTION_MS);
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const result = await action();
  const { user, system } = process.cpuUsage(before);
  const wallS = (performance.now() - startedMs) / 1000;
  await systemClock.sleep(2 * DELAY_RESOLUTION_MS);
  delay.disable();
  clearInterval(timer);
  noteHeap();
  // What is recorded is the time between two ticks.
  const delayMs = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e6 - DELAY_RESOLUTION_MS);
  return {
    result,
    cpuS: (user + system) / 1e6,
    wallS,
    measurements: [
      { name: `${name}: peak resident`, value: peakResidentMegabytes(), unit: "MB" },
      { name: `${name}: peak heap`, value: heapBytes / 2 ** 20, unit: "MB, garbage included" },
      { name: `${name}: event-loop delay, p99`, value: delayMs(delay.percentile(99)), unit: "ms" },
      { name: `${name}: event-loop delay, maximum`, value: delayMs(delay.max), unit: "ms" },
    ],
  };
}

function peakResidentMegabytes(): number {
  return process.resourceUsage().maxRSS / 1024;
}

async function benchRollouts(run: StandInRun, inFlight: number): Promise<void> {
  const count = Math.max(inFlight, Math.min(inFlight * WAVES, MOST_ROLLOUTS));
  const requestsBefore = run.requests();
  const name = `${inFlight} in flight`;
  const { result, cpuS, wallS, measurements } = await observe(name, () =>
    play(run, inFlight, tasks(inFlight, count)),
  );
  const whole = result.filter(({ record }) => record.turns.length === TURNS);
  print({ name: `${name}: rollouts of ${TURNS} turns`, value: whole.length, unit: `of ${count}` });
  print({ name: `${name}: CPU per 1,000 rollouts`, value: (cpuS / count) * 1000, unit: "s" });
  print({ name: `${name}: rollouts`, value: count / wallS, unit: "per second" });
  print({ name: `${name}: requests`, value: run.requests() - requestsBefore, unit: "sent" });
  for (const measurement of measurements) print(measurement);
}

async function play(
  { context }: StandInRun,
  inFlight: number,
  rollouts: readonly RolloutTask[],
): Promise<readonly FinishedRollout[]> {
  const config = {
    ...context.config,
    max_rollout_concurrency: inFlight,
    // The client sets the pace that is measured, not this limit.
    max_samples_in_flight: inFlight,
  };
  const sampler = await context.client.ephemeralSampler();
  return await playRollouts({ ...context, config, limits: runLimits(config) }, rollouts, {
    sampler,
    seedOf: (task, attempt, turn) => rolloutSeed(context.sha256, config.seed, task, attempt, turn),
    onFinished: ({ record }) => context.store.addRollout(record),
  });
}

/** Each measurement is a step of its own, so that its records go to files of their own. */
function tasks(step: number, count: number): readonly RolloutTask[] {
  return Array.from({ length: count }, (_, i) => ({
    step,
    group: Math.floor(i / GROUP_SIZE),
    rollout: i % GROUP_SIZE,
    taskKey: `${ENVIRONMENT}:train:${i}#${i}`,
    environment: ENVIRONMENT,
    split: "train",
    index: i,
  }));
}

/** 301 tokens, which makes a datum of 300. */
function ledgerOfThreeTurns(): Ledger {
  const ids = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
  const ledger = new Ledger(ids(PROMPT_TOKENS));
  for (let turn = 1; turn <= TURNS; turn++) {
    ledger.addTurn(ids(TURN_TOKENS), new Array<number>(TURN_TOKENS).fill(-0.5));
    if (turn < TURNS) ledger.addBridge([], ids(BRIDGE_TOKENS));
  }
  return ledger;
}

function buildAll(ledgers: readonly Ledger[]): readonly TrainingDatum[] {
  return ledgers.flatMap((ledger, i) => {
    const source = { group: Math.floor(i / GROUP_SIZE), rollout: i % GROUP_SIZE, ledger };
    return buildDatum(source, i % 2 === 0 ? 1 : -1) ?? [];
  });
}

function chunksOf(data: readonly TrainingDatum[]) {
  return chunkData(toWireData(data.map(toWireDatum), "ppo", { forwardOnly: false }), CHUNK_LIMITS);
}

async function benchTraining({ context }: StandInRun): Promise<void> {
  const ledgers = Array.from({ length: DATUMS }, ledgerOfThreeTurns);
  const data = buildAll(ledgers);
  const chunks = chunksOf(data);
  const bodies = chunks.map((chunk) =>
    encodeForwardBackwardOutput({
      outputs: chunk.map(({ tokens }) => ({ logprobs: new Float32Array(tokens.length) })),
      metrics: { "loss:sum": 1 },
    }),
  );
  const name = `${DATUMS} datums of ${data[0]?.tokens.length} tokens`;
  const build = medianSeconds(() => void buildAll(ledgers));
  print({ name: `${name}: build`, value: build, unit: "CPU-s" });
  const encode = medianSeconds(() => {
    chunksOf(data).forEach((chunk, seqId) => {
      encodeForwardBackwardRequest({ ...request(chunk), seqId });
    });
  });
  print({ name: `${name}: encode`, value: encode, unit: "CPU-s" });
  const decode = medianSeconds(() => {
    combineResults(bodies.map(decodeForwardBackwardOutput));
  });
  print({ name: `${name}: decode`, value: decode, unit: "CPU-s" });
  const { config } = context;
  const { cpuS, measurements } = await observe("whole step", () =>
    trainStep(context, data, config, config.learning_rate),
  );
  print({ name: "whole step: client and HTTP with it", value: cpuS, unit: "CPU-s" });
  for (const measurement of measurements) print(measurement);
}

function request(data: Parameters<typeof encodeForwardBackwardRequest>[0]["data"]) {
  return { modelId: "model", data, lossFn: "ppo", lossConfig: {}, forwardOnly: false };
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const wanted = given.length > 0 ? given : ALL;
  const closers = new Closers();
  const folder = await mkdtemp(join(tmpdir(), "tinker-rl-bench-"));
  closers.add(() => rm(folder, { recursive: true }));
  try {
    const run = await openStandInRun(folder, closers);
    await play(run, WARM_UP_ROLLOUTS, tasks(0, WARM_UP_ROLLOUTS));
    for (const what of wanted) {
      await (what === STEP ? benchTraining(run) : benchRollouts(run, Number(what)));
    }
  } finally {
    await closers.closeAll();
  }
}

await main();
