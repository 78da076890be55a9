import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { listRuns } from "../../src/core/runs/runList.ts";
import { RunStore } from "../../src/host/runs/runStore.ts";
import { runRow } from "../../src/host/views/runRow.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { writePythonRun } from "../fakes/pythonRun.ts";

const STEPS = 30;
const fileSystem = createFileSystem();
let parent: string;
let folder: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "foreign-"));
  folder = writePythonRun(parent, STEPS);
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe("a folder of the Python program", () => {
  it("has its curves whole, also in steps with a number that is none", async () => {
    const follower = new RunFollower({ fileSystem, folder });
    await follower.refresh();
    expect(follower.problem).toBeNull();
    expect(Array.from(follower.metrics.steps())).toEqual(
      Array.from({ length: STEPS }, (_, step) => step),
    );
    const rewards = follower.metrics.values("rollout/reward/mean");
    expect(Array.from(rewards)).toEqual(
      Array.from({ length: STEPS }, (_, step) => Math.min(1, 0.2 + step / 50)),
    );
    expect(follower.metrics.values("loss")[2]).toBeNaN();
    expect(follower.metrics.values("rollout/reward/std")[1]).toBeNaN();
    expect(follower.metrics.latest("rollout/env/WhoDunIt/reward/mean")).toBeCloseTo(0.78);
  });

  it("is in the list of runs once it was opened, with its steps and reward", async () => {
    const onError = (error: unknown): void => {
      throw error;
    };
    const store = new RunStore({ fileSystem, clock: systemClock, nameOf: () => null, onError });
    await store.look([], [folder]);
    const run = store.get(folder);
    store.close();
    expect(run).toMatchObject({
      name: "python-run",
      phase: "foreign",
      steps: STEPS,
      totalSteps: null,
      isLive: false,
      reward: expect.closeTo(0.78),
      file: null,
      problem: null,
    });
    if (run === null) return;
    const row = runRow(run, { isSpinning: false, isArchived: false });
    expect(row.description).toBe("0.78 · 30 steps · no run.json");
    // Nothing can be resumed, and nothing is under way.
    expect(row.context).toBe("run+ended+training");
  });

  it("is not taken for a run where runs of this program lie", async () => {
    const liveness = { nowMs: 0, isProcessAlive: () => false };
    expect(await listRuns(fileSystem, parent, liveness)).toEqual([]);
  });
});
