/** A run folder that grows step by step, including rollouts, saves, evaluations, an alarm. */

import { alarmBegins } from "../../../src/core/alarms/alarmEvents.ts";
import type { FileSystem } from "../../../src/core/ports.ts";
import { appendCheckpoint } from "../../../src/core/runFolder/checkpointLog.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { NO_RUN_USAGE } from "../../../src/core/usage/tokenUsage.ts";
import { systemClock } from "../../../src/node/clock.ts";
import {
  aCheckpointEntry,
  aRecord,
  rolloutFacts,
  stepFacts,
} from "../../core/runFolder/builders.ts";
import { writeEvaluation } from "../../core/runFolder/evaluatedRun.ts";
import { startedRun } from "../../fakes/startedRun.ts";
import { CUT_TURNS, PRICES } from "./writtenRun.ts";

/** The first step, and 50 more during which nothing on the page may move. */
export const STEPS = 51;
const ALARM_STEP = 30;
const ROLLOUTS = 8;
const ENVIRONMENTS = ["local/calculator", "local/number-hunt"];

export interface GrowingRun {
  readonly folder: string;
  /** Writes the next step with all its files. */
  step(): Promise<void>;
}

/** A run without any steps yet. */
export async function startGrowingRun(fileSystem: FileSystem, parent: string): Promise<GrowingRun> {
  const clock = systemClock;
  const lease = await startedRun(fileSystem, parent, { name: "growing" });
  const { folder, files } = lease;
  const config = { environments: {}, batch_size: 2, max_steps: STEPS, log_path: folder };
  await files.writeAtomic(runPaths(folder).resolvedConfig, JSON.stringify(config));
  const parts = { fileSystem: files, redactor: new Redactor(), folder };
  const events = createEventLog({ ...parts, clock, attempt: 1 });
  const rollouts = createRolloutStore(parts);
  const started = { kind: "run-started", level: "info", step: 0, data: {} } as const;
  await events.record({ ...started, message: "Attempt 1 starts." });
  await lease.update({ phase: "running" });
  let step = 0;
  return {
    folder,
    async step() {
      for (let index = 0; index < ROLLOUTS; index += 1) {
        const place = { step, group: Math.floor(index / 4), rollout: index % 4 };
        const isFailed = index === 3 && step % 8 === 5;
        const failed = { reward: null, stop: "error", error: "The environment answered 503." };
        const outcome = isFailed ? failed : { reward: rewardOf(step, index) };
        await rollouts.addRollout(aRecord({ ...place, index, ...outcome }));
      }
      await appendMetrics(files, folder, buildMetricsRow(factsOf(step)));
      step += 1;
      if (step % 10 === 0) {
        const name = `checkpoint_${String(step).padStart(6, "0")}`;
        await appendCheckpoint(files, folder, aCheckpointEntry({ name, step }));
      }
      if (step % 20 === 5) await writeEvaluation(files, folder, step, step / STEPS);
      if (step === ALARM_STEP) await events.record(alarmBegins(step - 1, CUT_TURNS));
    },
  };
}

/** From 0 to 1, pseudo-random. */
function rewardOf(step: number, index: number): number {
  return Math.min(1, step / STEPS + ((index * 7 + step * 3) % 10) / 40 - 0.1);
}

function factsOf(step: number) {
  const rollouts = Array.from({ length: ROLLOUTS }, (_, index) =>
    rolloutFacts({
      reward: rewardOf(step, index),
      group: Math.floor(index / 4),
      environment: ENVIRONMENTS[index % 2] ?? "",
    }),
  );
  const done = step + 1;
  const tokens = (each: number) => each * done ** 2;
  return stepFacts({
    step,
    rollouts,
    environments: ENVIRONMENTS,
    loss: (step % 3) * 10 ** ((step % 7) - 4) * (step % 2 === 0 ? 1 : -1),
    progress: {
      ...stepFacts().progress,
      doneFraction: done / STEPS,
      etaS: (STEPS - step) * 13,
    },
    extra: { alarm: { truncated_turns: step < ALARM_STEP - 1 ? 0 : 1 } },
    serverMetrics: { "grad_norm:mean": 10 ** ((step % 5) - 2) },
    times: {
      rolloutS: 9 + (step % 4),
      prepareS: 0.5,
      trainS: 2.25,
      samplerS: 0.5 + (step % 2),
      totalS: 13,
    },
    usage: {
      ...stepFacts().usage,
      total: {
        ...NO_RUN_USAGE,
        cumulative: {
          sampled: tokens(90),
          prefill_cached: tokens(200),
          prefill_uncached: tokens(100),
          trained: tokens(170),
        },
      },
      prices: PRICES,
    },
  });
}
