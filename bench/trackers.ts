/**
 * Measures what reporting to W&B costs a run: steps of the real loop against stand-ins, without it and with a W&B that takes two
 * seconds for every request and gets something all the time, by turns in one run. Step times are given over what the services
 * alone need; the ratio of both is what reporting costs. Run: `node scripts/run.mjs bench/trackers.ts`, three minutes.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runPaths } from "../src/core/run/layout.ts";
import type { RunContext } from "../src/core/training/context.ts";
import { WandbTracker } from "../src/core/wandb/tracker.ts";
import { createHttpClient } from "../src/node/http.ts";
import { startChild } from "../src/trainer/childProcess.ts";
import { Closers } from "../src/trainer/closers.ts";
import { StepTimer } from "./loopSteps.ts";
import { median, print } from "./measure.ts";
import { openStandInRun } from "./standInRun.ts";

const GROUPS = 8;
const GROUP_SIZE = 8;
const STEPS_A_TURN = 4;
const TURNS = 3;
/** As soon as the last delivery is through the next one begins, which is more than a run ever does. */
const WAITS = { gapMs: 0, heartbeatMs: 1_000 };

const closers = new Closers();
const folder = await mkdtemp(join(tmpdir(), "tinker-rl-bench-"));
closers.add(() => rm(folder, { recursive: true }));
try {
  for (const program of ["standIns", "standInWandb"]) {
    const child = await startChild({
      name: "The stand-ins",
      program: resolve("scripts/run.mjs"),
      args: [resolve(`bench/${program}.ts`), folder],
    });
    closers.add(child.close);
  }
  await measure();
} finally {
  await closers.closeAll();
}

async function measure(): Promise<void> {
  const runFolder = join(folder, "run");
  const { context } = await openStandInRun(folder, runFolder, closers);
  // A table of trajectories with every step.
  await writeFile(runPaths(runFolder).resolvedConfig, '{"save_every": 1}');
  await writeFile(runPaths(runFolder).config, "save_every: 1\n");
  const timer = await StepTimer.open(context, GROUPS, GROUP_SIZE);
  await timer.step();
  const off: number[] = [];
  const on: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    timer.watch = () => undefined;
    for (let i = 0; i < STEPS_A_TURN; i += 1) off.push(await timer.step());
    const tracker = await report(context, timer.nextStep);
    timer.watch = (event) => {
      if (event.kind === "step-finished") tracker.rowWritten(event.step);
    };
    for (let i = 0; i < STEPS_A_TURN; i += 1) on.push(await timer.step());
    await tracker.close();
  }
  print({ name: "without W&B: time over ideal, median", value: median(off), unit: "x" });
  print({ name: "slow W&B: time over ideal, median", value: median(on), unit: "x" });
  print({ name: "slow W&B over none", value: median(on) / median(off), unit: "x" });
}

function report(context: RunContext, firstStep: number): Promise<WandbTracker> {
  const http = createHttpClient({ socketPath: join(folder, "wandb.sock") });
  closers.add(() => http.close());
  const warn = (message: string): void => console.error(message);
  return WandbTracker.start({
    ...context,
    ...{ firstStep, knownRunId: null, homeFolder: null, producer: "bench", waits: WAITS },
    server: { http, baseUrl: "http://localhost", appUrl: null, apiKey: "k".repeat(40) },
    init: {
      ...{ project: "bench", entity: null, displayName: null, group: null, jobType: null },
      ...{ notes: null, tags: null, program: null, platform: process.platform },
    },
    tell: {
      ...{ opened: () => undefined, recovered: () => undefined },
      ...{ draining: () => undefined, stopWished: () => undefined },
      warning: warn,
    },
  });
}
