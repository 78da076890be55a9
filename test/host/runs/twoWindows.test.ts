import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { resumeRun } from "../../../src/core/runFolder/runFolder.ts";
import { isResumable } from "../../../src/core/runs/runWords.ts";
import { runRow } from "../../../src/host/views/runRow.ts";
import { systemClock as clock } from "../../../src/node/clock.ts";
import { isProcessAlive } from "../../../src/node/processes.ts";
import { RunStore } from "../../../src/server/runs/runStore.ts";
import { stepFacts } from "../../core/runFolder/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { startedRun } from "../../fakes/startedRun.ts";

const fileSystem = filesOnDisk();
const parent = folderOfEachTest();
const starter = { owner: "editor", host: hostname(), configPath: "/c.yaml" } as const;
/** Stands in for the trainer that the first window started. */
let trainer: ChildProcess;
let windows: readonly RunStore[];

beforeEach(() => {
  trainer = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  const onError = (error: unknown): void => {
    throw error;
  };
  windows = [1, 2].map(() => new RunStore({ fileSystem, clock, nameOf: () => null, onError }));
});
afterEach(async () => {
  for (const window of windows) window.close();
  if (trainer.exitCode === null && trainer.signalCode === null) {
    trainer.kill();
    await once(trainer, "exit");
  }
});

async function aRun(): Promise<string> {
  const lease = await startedRun(fileSystem, parent, { ...starter, pid: trainer.pid ?? 0 });
  await lease.update({ phase: "running" });
  await appendMetrics(lease.files, lease.folder, buildMetricsRow(stepFacts({ step: 0 })));
  return lease.folder;
}

/** The state of the run in `folder` as each window shows it. */
async function shown(folder: string) {
  return Promise.all(
    windows.map(async (window) => {
      await window.look([parent], []);
      const run = window.get(folder);
      if (run === null) throw new Error("A window does not list the run.");
      const { description, context } = runRow(run, { isArchived: false, isSpinning: false });
      return { description, context, isLive: run.isLive, isResumable: isResumable(run) };
    }),
  );
}

describe("two windows on one folder", () => {
  it("show the same state of a run, whichever started it, and neither offers to start it again", async () => {
    const folder = await aRun();
    const [first, second] = await shown(folder);
    expect(second).toEqual(first);
    expect(first).toMatchObject({
      context: "run+running+training",
      isLive: true,
      isResumable: false,
    });
  });

  it("cannot both train it: the second trainer is refused, with the owner and what to do", async () => {
    const folder = await aRun();
    const second = { ...starter, pid: process.pid, folder, step: 1 };
    await expect(resumeRun({ fileSystem, clock, isProcessAlive }, second)).rejects.toMatchObject({
      code: "run-in-use",
      message: `The run in ${folder} is being trained by process ${trainer.pid} on ${hostname()} (editor). Stop it first, or start a new run.`,
    });
    expect(await shown(folder)).toMatchObject([{ isLive: true }, { isLive: true }]);
  });

  it("get separate folders when both start the same configuration", async () => {
    const folders = await Promise.all([aRun(), aRun()]);
    expect(folders.toSorted()).toEqual([`${parent}/demo`, `${parent}/demo-2`]);
  });

  it("both offer to resume it once its trainer is gone", async () => {
    const folder = await aRun();
    trainer.kill("SIGKILL");
    await once(trainer, "exit");
    const [first, second] = await shown(folder);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ context: "run+ended+resumable+training", isResumable: true });
    expect(first?.description).toContain("interrupted");
  });
});
