/** Large generated run folders for measuring the editor, written by the product's own writers. */

import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { FileSystem, FolderFiles } from "../src/core/ports.ts";
import { appendCheckpoint } from "../src/core/runFolder/checkpointLog.ts";
import { createEventLog } from "../src/core/runFolder/events.ts";
import { runPaths } from "../src/core/runFolder/files/layout.ts";
import { appendMetrics, buildMetricsRow } from "../src/core/runFolder/metrics/metrics.ts";
import type { RolloutFacts, StepFacts } from "../src/core/runFolder/metrics/stepFacts.ts";
import type { RolloutRecord } from "../src/core/runFolder/rollouts/rolloutRecord.ts";
import {
  createRolloutStore,
  type RolloutStore,
} from "../src/core/runFolder/rollouts/rolloutStore.ts";
import type { TokenRecord } from "../src/core/runFolder/rollouts/tokenRecord.ts";
import { startRun } from "../src/core/runFolder/runFolder.ts";
import type { RunLease } from "../src/core/runFolder/runLease.ts";
import { Redactor } from "../src/core/secrets/redaction/redactor.ts";
import { NO_RUN_USAGE } from "../src/core/usage/tokenUsage.ts";
import { systemClock } from "../src/node/clock.ts";
import { createUniform } from "../src/shared/uniform.ts";
import { aRecord, aTurn, rolloutFacts, stepFacts } from "../test/core/runFolder/builders.ts";

/** Number of steps in the opened run, the long run, and the followed run. */
export const STEPS = 1_000;
export const LONG_STEPS = 10_000;
export const FOLLOWED_STEPS = 200;
export const WIDE_ROLLOUTS = 10_000;
/** One more than a follower caches, so that cycling through them always misses the cache. */
export const WIDE_STEPS = 5;
/** Number of tokens of rollout 1 in group 1 of every wide step. */
export const LONG_TOKENS = 8_000;

const CONFIG = "tinker-config.yaml";
const GROUP_SIZE = 8;
/** Number of rollouts behind a metrics row, as in a step of the local demo. */
const FACTS = 128;
const STORED = 8;
const TURNS = 8;
const IDS = 512;

export interface BenchRuns {
  /** The folder to open in the editor. */
  readonly workspace: string;
  readonly steps: string;
  readonly longSteps: string;
  readonly wide: string;
}

interface OpenRun {
  readonly fileSystem: FolderFiles;
  readonly lease: RunLease;
  readonly store: RolloutStore;
  readonly uniform: () => number;
}

/** Writes a workspace with a configuration and three finished runs. */
export async function writeBenchRuns(
  fileSystem: FileSystem,
  workspace: string,
): Promise<BenchRuns> {
  mkdirSync(workspace, { recursive: true });
  writeFileSync(
    join(workspace, CONFIG),
    "model_name: local/tiny-tool\nenvironments:\n  local/calculator:\n    num_rollouts: 8\nbatch_size: 16\nmax_steps: 10\n",
  );
  const long = await openRun(fileSystem, workspace, { name: "long", steps: LONG_STEPS, seed: 1 });
  for (let step = 0; step < LONG_STEPS; step += 1) await addRow(long, step, LONG_STEPS);
  await long.lease.update({ phase: "done" });

  const wide = await openRun(fileSystem, workspace, { name: "wide", steps: WIDE_STEPS, seed: 2 });
  for (let step = 0; step < WIDE_STEPS; step += 1) {
    await addRollouts(wide, step, WIDE_ROLLOUTS);
    await addRow(wide, step, WIDE_STEPS);
  }
  await wide.lease.update({ phase: "done" });

  const run = await openRun(fileSystem, workspace, { name: "steps", steps: STEPS, seed: 3 });
  for (let step = 0; step < STEPS; step += 1) {
    await addRollouts(run, step, STORED);
    await addRow(run, step, STEPS);
  }
  await run.lease.update({ phase: "done" });
  return {
    workspace,
    steps: run.lease.folder,
    longSteps: long.lease.folder,
    wide: wide.lease.folder,
  };
}

/** Appends a step to a run written by {@link writeBenchRuns}, as a trainer would. */
export async function addStep(fileSystem: FileSystem, folder: string, step: number): Promise<void> {
  const facts = factsOf(createUniform(step), step, 2 * step);
  await appendMetrics(fileSystem.within(folder), folder, buildMetricsRow(facts));
}

/**
 * Simulates training: a new run of `steps` steps with 128 rollouts each, with a pause of `pauseMs` after every step. This process
 * counts as its trainer.
 */
export async function writeGrowingRun(
  fileSystem: FileSystem,
  workspace: string,
  { steps, pauseMs }: { readonly steps: number; readonly pauseMs: number },
): Promise<void> {
  const run = await openRun(fileSystem, workspace, { name: "followed", steps, seed: 4 });
  for (let step = 0; step < steps; step += 1) {
    await addRollouts(run, step, FACTS);
    await addRow(run, step, steps);
    await run.lease.update();
    await systemClock.sleep(pauseMs);
  }
  await run.lease.update({ phase: "done" });
}

async function openRun(
  fileSystem: FileSystem,
  workspace: string,
  { name, steps, seed }: { readonly name: string; readonly steps: number; readonly seed: number },
): Promise<OpenRun> {
  const clock = systemClock;
  const lease = await startRun(
    { fileSystem, clock },
    {
      pid: process.pid,
      host: hostname(),
      owner: "terminal",
      runId: name,
      name,
      configPath: join(workspace, CONFIG),
      parent: join(workspace, ".tinker-rl", "runs"),
    },
  );
  const { folder, files } = lease;
  const paths = runPaths(folder);
  await files.writeAtomic(
    paths.resolvedConfig,
    JSON.stringify({
      model_name: "local/tiny-tool",
      batch_size: 16,
      max_steps: steps,
      environments: { "local/calculator": { num_rollouts: GROUP_SIZE } },
    }),
  );
  const redactor = new Redactor();
  const events = createEventLog({ fileSystem: files, clock, redactor, folder, attempt: 1 });
  await events.record({
    kind: "run-started",
    level: "info",
    step: 0,
    message: "Attempt 1 starts.",
    data: {},
  });
  await lease.update({ phase: "running" });
  const store = createRolloutStore({ fileSystem: files, redactor, folder });
  return { fileSystem: files, lease, store, uniform: createUniform(seed) };
}

async function addRow(
  { fileSystem, lease: { folder }, uniform }: OpenRun,
  step: number,
  steps: number,
): Promise<void> {
  await appendMetrics(fileSystem, folder, buildMetricsRow(factsOf(uniform, step, steps)));
  const every = Math.max(1, Math.floor(steps / 100));
  if ((step + 1) % every !== 0) return;
  const path = (kind: string): string => `tinker://local-bench:train:0/${kind}/${step + 1}`;
  await appendCheckpoint(fileSystem, folder, {
    name: `checkpoint_${String(step + 1).padStart(6, "0")}`,
    step: step + 1,
    epoch: 0,
    position: step * 16,
    kind: "periodic",
    renderer: "reference",
    state_path: path("weights"),
    sampler_path: path("sampler_weights"),
    expires_at: null,
    metrics: { "rollout/reward/mean": uniform() },
    created_at: new Date(step * 1_000).toISOString(),
  });
}

/** Rising rewards with noise. */
function factsOf(uniform: () => number, step: number, steps: number): StepFacts {
  const level = 0.2 + (0.6 * step) / steps;
  const rollouts = Array.from({ length: FACTS }, (_, index): RolloutFacts => {
    const reward = Math.max(0, Math.min(1, level + uniform() - 0.5));
    const turns = Array.from({ length: 1 + Math.floor(4 * uniform()) }, () =>
      aTurn({ sampledTokens: 10 + Math.floor(40 * uniform()) }),
    );
    return rolloutFacts({
      reward,
      turns,
      advantage: reward - level,
      group: Math.floor(index / GROUP_SIZE),
      tools: [{ name: "calculate", isError: uniform() < 0.1, durationS: uniform() / 10 }],
    });
  });
  return stepFacts({
    step,
    rollouts,
    loss: 10 * (uniform() - 0.5),
    groups: Array.from({ length: FACTS / GROUP_SIZE }, (_, group) => ({
      group,
      isPartial: false,
      excluded: uniform() < 0.1 ? "equal rewards" : null,
    })),
    progress: {
      epoch: 0,
      cursor: 16 * step,
      doneFraction: (step + 1) / steps,
      attempt: 1,
      etaS: steps - step,
      elapsedS: step + 1,
      optimizerUpdates: step + 1,
    },
    serverMetrics: { "grad_norm:mean": 1 + uniform() },
    usage: {
      ...stepFacts().usage,
      total: {
        ...NO_RUN_USAGE,
        cumulative: {
          sampled: 4_000 * step,
          prefill_cached: 6_000 * step,
          prefill_uncached: 3_000 * step,
          trained: 9_000 * step,
        },
      },
    },
  });
}

async function addRollouts(
  { store, uniform }: OpenRun,
  step: number,
  count: number,
): Promise<void> {
  const places = Array.from({ length: count }, (_, index) => ({
    group: Math.floor(index / GROUP_SIZE),
    rollout: index % GROUP_SIZE,
  }));
  const rewards = places.map(() => uniform());
  for (const [index, place] of places.entries()) {
    const own = { ...place, step, index: 1_000 + index, reward: rewards[index] ?? 0 };
    await store.addRollout(count === WIDE_ROLLOUTS && index === 0 ? longRecord(own) : aRecord(own));
  }
  await store.addScores(
    step,
    places.map((place, index) => {
      const advantage = (rewards[index] ?? 0) - 0.5;
      return index % 50 === 49
        ? { ...place, advantage: null, trainingUse: "excluded:equal-rewards" }
        : { ...place, advantage, trainingUse: "trained" };
    }),
  );
  await store.addTokens(
    step,
    places.map((place, index) =>
      tokensOf(place, count === WIDE_ROLLOUTS && index === 0 ? LONG_TOKENS : 32),
    ),
  );
}

function longRecord(changes: Partial<RolloutRecord>): RolloutRecord {
  const [turn] = aRecord().turns;
  if (turn === undefined) throw new Error("The sample record has a turn.");
  const words = "The result so far is **4.5**; next I call `calculate` with the other half. ";
  const turns = Array.from({ length: TURNS }, (_, index) => ({
    ...turn,
    reasoning: `${words.repeat(18)}\n\n- one way\n- another way`,
    content: words.repeat(18),
    results: turn.results.map((result) => ({
      ...result,
      text: `line of the result\n`.repeat(30),
      reward: index === TURNS - 1 ? 1 : null,
      finished: index === TURNS - 1,
    })),
    tokens: LONG_TOKENS / TURNS,
  }));
  return aRecord({ ...changes, turns, rewards: [1] });
}

function tokensOf(
  place: { readonly group: number; readonly rollout: number },
  count: number,
): TokenRecord {
  const ids = Int32Array.from({ length: count }, (_, index) => 5 + ((index * 7) % (IDS - 5)));
  const prompt = Math.floor(count / 8);
  const numbers = (value: (index: number) => number): Float32Array =>
    Float32Array.from(ids, (_, index) => (index < prompt ? 0 : value(index)));
  return {
    ...place,
    stream: 0,
    ids,
    samplerLogprobs: numbers((index) => -((index % 17) / 4)),
    trainerLogprobs: numbers((index) => -((index % 17) / 4) + Math.sin(index) / 10),
    advantages: numbers((index) => Math.cos(index / 300)),
    turns: Int16Array.from(ids, (_, index) =>
      index < prompt ? -1 : Math.floor((TURNS * (index - prompt)) / (count - prompt)),
    ),
    mask: Uint8Array.from(ids, (_, index) => (index < prompt ? 0 : 1)),
  };
}
