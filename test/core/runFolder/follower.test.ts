import { mkdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { showStep } from "../../../src/cli/show/showStep.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { evalPath, runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRunReader } from "../../../src/core/runFolder/reader.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { resumeRun, startRun } from "../../../src/core/runFolder/runFolder.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { beforeEachPlantedRun, type PlantedHome } from "../../fakes/plantedHome.ts";
import { aCheckpointEntry, aRecord, collect, rolloutFacts, stepFacts } from "./builders.ts";
import { evaluatedRun, writeEvaluation } from "./evaluatedRun.ts";
import { createMemoryFileSystem, createStillClock } from "./memoryFileSystem.ts";

const FOLDER = "runs/demo";
/** A step in which nothing was trained. */
const skipped = { loss: null, substeps: 0 };

function aCheckpoint(step: number): CheckpointEntry {
  return aCheckpointEntry({
    name: `checkpoint_${step}`,
    step,
    state_path: `tinker://run/weights/${step}`,
  });
}

async function startedRun() {
  const fileSystem = createMemoryFileSystem();
  const clock = createStillClock();
  const starter = {
    pid: 1,
    host: "here",
    owner: "terminal" as const,
    configPath: "/projects/tinker-config.yaml",
  };
  const start = (runId: string) =>
    startRun({ fileSystem, clock }, { ...starter, parent: "runs", name: "demo", runId });
  await start("r");
  const addSteps = async (...steps: readonly number[]) => {
    for (const step of steps) {
      const rollouts = [rolloutFacts({ reward: step / 10 }), rolloutFacts({ reward: 0 })];
      await appendMetrics(
        fileSystem,
        FOLDER,
        buildMetricsRow(stepFacts({ step, rollouts, ...(step === 2 ? skipped : { loss: -1 }) })),
      );
    }
  };
  const resume = (step: number) =>
    resumeRun(
      { fileSystem, clock, isProcessAlive: () => false },
      { ...starter, folder: FOLDER, step },
    );
  return {
    fileSystem,
    clock,
    start,
    addSteps,
    resume,
    follower: new RunFollower({ fileSystem, folder: FOLDER }),
  };
}

function contentsOf(follower: RunFollower) {
  const { metrics, events, checkpoints, evaluations, runFile } = follower;
  const columns = Object.fromEntries(
    metrics.names.map((name) => [name, Array.from(metrics.values(name))]),
  );
  return { steps: Array.from(metrics.steps()), columns, events, checkpoints, evaluations, runFile };
}

test("rows become columns by flat name; missing values are gaps, never zero", async () => {
  const { follower, addSteps } = await startedRun();
  await addSteps(0, 1, 2);
  expect(await follower.refresh()).toMatchObject({ replaced: false, fromRow: 0 });
  expect(Array.from(follower.metrics.steps())).toEqual([0, 1, 2]);
  expect(Array.from(follower.metrics.values("rollout/reward/mean"))).toEqual([0, 0.05, 0.1]);
  expect(Array.from(follower.metrics.values("loss"))).toEqual([-1, -1, Number.NaN]);
  expect(Array.from(follower.metrics.values("skipped"))).toEqual([Number.NaN, Number.NaN, 1]);
  expect(follower.metrics.latestStep).toBe(2);
  expect(follower.metrics.latest("loss")).toBeNull();
  expect(follower.runFile).toMatchObject({ name: "demo", attempt: 1 });
});

test("the row of the evaluation after the last step is neither a step nor damage", async () => {
  const { fileSystem, follower, addSteps, resume } = await startedRun();
  await addSteps(0, 1);
  await appendMetrics(fileSystem, FOLDER, { step: 2, evaluation_only: true });
  await follower.refresh();
  expect(contentsOf(follower).steps).toEqual([0, 1]);
  expect(follower.problem).toBeNull();
  await resume(2);
  await addSteps(2);
  await follower.refresh();
  expect(contentsOf(follower).steps).toEqual([0, 1, 2]);
  expect(await follower.supersededAttempts()).toEqual([]);
});

test("a refresh returns only what was added since the last one", async () => {
  const { fileSystem, clock, follower, addSteps } = await startedRun();
  await addSteps(0, 1);
  await follower.refresh();
  await addSteps(2);
  await appendCheckpoint(fileSystem, FOLDER, aCheckpoint(3));
  const parts = { fileSystem, clock, redactor: new Redactor(), folder: FOLDER, attempt: 1 };
  await createEventLog(parts).record({
    kind: "run-ended",
    level: "info",
    step: 3,
    message: "The run is done.",
    data: {},
  });
  expect(await follower.refresh()).toMatchObject({
    fromRow: 2,
    checkpoints: [{ step: 3 }],
    events: [{ kind: "run-ended" }],
  });
  expect(await follower.refresh()).toMatchObject({ fromRow: null, checkpoints: [], events: [] });
});

test("the bytes of a growing file are never read twice", async () => {
  const { fileSystem, follower, addSteps } = await startedRun();
  let bytesRead = 0;
  const readRange = fileSystem.readRange;
  fileSystem.readRange = async (path, offset, length) => {
    bytesRead += length;
    return await readRange(path, offset, length);
  };
  for (const step of [0, 1, 2, 3, 4, 5, 6, 7]) {
    await addSteps(step);
    await follower.refresh();
  }
  expect(bytesRead).toBe(await fileSystem.size(runPaths(FOLDER).metrics));
});

test("however the bytes arrive, the result is the same as from a single read", async () => {
  const { fileSystem, clock, addSteps } = await startedRun();
  await addSteps(0, 1, 2, 3);
  for (const step of [1, 2]) await appendCheckpoint(fileSystem, FOLDER, aCheckpoint(step));
  const parts = { fileSystem, clock, redactor: new Redactor(), folder: FOLDER, attempt: 1 };
  await createEventLog(parts).record({
    kind: "note",
    level: "warn",
    step: 1,
    message: "Größe ✓",
    data: { depth: [1] },
  });
  const { metrics, checkpoints, events } = runPaths(FOLDER);
  const growing = [metrics, checkpoints, events];
  const whole = new Map(fileSystem.files);
  const once = new RunFollower({ fileSystem, folder: FOLDER });
  await once.refresh();

  const share = fc.double({ min: 0, max: 1, noNaN: true });
  await fc.assert(
    fc.asyncProperty(fc.array(share, { maxLength: 8 }), async (shares) => {
      const follower = new RunFollower({ fileSystem, folder: FOLDER });
      for (const part of [...shares.sort((a, b) => a - b), 1]) {
        for (const path of growing) {
          const bytes = whole.get(path) ?? new Uint8Array();
          fileSystem.files.set(path, bytes.slice(0, Math.floor(bytes.length * part)));
        }
        expect((await follower.refresh()).replaced).toBe(false);
      }
      expect(contentsOf(follower)).toEqual(contentsOf(once));
    }),
    { numRuns: 100 },
  );
});

test("after a resume the repeated steps are gone, but can be requested", async () => {
  const { follower, addSteps, resume } = await startedRun();
  await addSteps(0, 1, 2, 3);
  await follower.refresh();
  expect(await follower.supersededAttempts()).toEqual([]);

  await resume(2);
  await addSteps(2, 3, 4, 5);
  expect(await follower.refresh()).toMatchObject({ replaced: true, fromRow: 0 });
  expect(Array.from(follower.metrics.steps())).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await follower.supersededAttempts()).toEqual([1]);
  expect(Array.from((await follower.supersededMetrics(1)).steps())).toEqual([2, 3]);
  expect((await follower.refresh()).replaced).toBe(false);
});

test("a new run in the folder of a deleted one replaces it, even if its files are longer", async () => {
  const { fileSystem, follower, start, addSteps } = await startedRun();
  await addSteps(0, 1, 2);
  await follower.refresh();
  await fileSystem.remove(FOLDER);
  await start("later");
  await addSteps(0, 1, 2, 3, 4, 5);
  expect(await follower.refresh()).toMatchObject({ replaced: true, fromRow: 0 });
  expect(contentsOf(follower)).toMatchObject({ steps: [0, 1, 2, 3, 4, 5] });
  expect(follower.runFile?.runId).toBe("later");
  expect(follower.problem).toBeNull();
});

test("a resume during a refresh leaves no rows of the earlier attempt", async () => {
  const { fileSystem, follower, addSteps, resume } = await startedRun();
  await addSteps(0, 1, 2);
  await follower.refresh();
  await addSteps(3);
  const readRange = fileSystem.readRange;
  fileSystem.readRange = async (path, offset, length) => {
    fileSystem.readRange = readRange;
    const bytes = await readRange(path, offset, length);
    await resume(1);
    await addSteps(1);
    return bytes;
  };
  expect(await follower.refresh()).toMatchObject({ replaced: true, fromRow: 0 });
  expect(Array.from(follower.metrics.steps())).toEqual([0, 1]);
});

test("summaries of the running step grow from call to call", async () => {
  const { fileSystem, follower } = await startedRun();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  expect(await follower.rollouts(0)).toEqual([]);
  await store.addRollout(aRecord({ rollout: 1 }));
  expect(await follower.rollouts(0)).toMatchObject([{ rollout: 1, score: null }]);
  await store.addRollout(aRecord({ rollout: 0 }));
  await store.addScores(0, [{ group: 0, rollout: 1, advantage: 1, trainingUse: "trained" }]);
  expect(await follower.rollouts(0)).toMatchObject([
    { rollout: 0, score: null },
    { rollout: 1, score: { advantage: 1 } },
  ]);
});

test("a folder without run.json is still read; a damaged one is reported", async () => {
  const { fileSystem, follower, addSteps } = await startedRun();
  await addSteps(0);
  const { runFile } = runPaths(FOLDER);
  fileSystem.files.delete(runFile);
  await follower.refresh();
  expect(follower.runFile).toBeNull();
  expect(follower.metrics.length).toBe(1);
  await fileSystem.writeAtomic(runFile, '{"schemaVersion": 99}');
  await follower.refresh();
  expect(follower.problem).toContain("run.json");
});

test("a thousand steps with hundreds of metrics take little memory", async () => {
  const { fileSystem, follower } = await startedRun();
  const tools = Object.fromEntries(
    Array.from({ length: 100 }, (_, tool) => [
      `tool_${tool}`,
      { count: tool, error_frac: 0.5, latency_s: 1 },
    ]),
  );
  const row = (step: number) =>
    `${JSON.stringify({ ...buildMetricsRow(stepFacts({ step })), extra: tools })}\n`;
  await fileSystem.append(
    runPaths(FOLDER).metrics,
    Array.from({ length: 1_000 }, (_, step) => row(step)).join(""),
  );
  await follower.refresh();
  const bytes = follower.metrics.names.reduce(
    (sum, name) => sum + follower.metrics.values(name).buffer.byteLength,
    0,
  );
  expect(follower.metrics.length).toBe(1_000);
  expect(bytes).toBeLessThan(20e6);
});

const folder = "/runs/evaluated";

it("the rollouts of an evaluation are listed, with separate groups for each temperature", async () => {
  const { follower, reader } = await evaluatedRun(folder);
  expect(await follower.steps("evaluation")).toEqual([0, 40]);
  const rollouts = await follower.rollouts(40, "evaluation");
  const places = rollouts.map(({ group, rollout }) => `${group}/${rollout}`);
  expect(new Set(places).size).toBe(16);
  expect(rollouts.map(({ group, index, temperature }) => [group, index, temperature])).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((group) =>
      [0, 1].map(() => [group, 10 + (group % 4), group < 4 ? 0 : 1]),
    ),
  );
  const last = rollouts.at(-1);
  const body = last === undefined ? null : await reader.body(last);
  expect(body?.promptText).toBe("Task 13 at 1 after 40");
});

it("an evaluation in progress grows; earlier results are kept and broken lines are skipped", async () => {
  const { files, follower } = await evaluatedRun(folder);
  const before = await follower.rollouts(0, "evaluation");
  expect(await follower.rollouts(0, "evaluation")).toBe(before);
  await files.append(evalPath(folder, 0), new TextEncoder().encode('{"step":0}\nnot json\n'));
  expect(await follower.rollouts(0, "evaluation")).toEqual(before);
  await writeEvaluation(files, folder, 0, 1);
  const after = await follower.rollouts(0, "evaluation");
  expect(after).toHaveLength(16);
  expect(after.every(({ reward }) => reward === 1)).toBe(true);
});

describe("a truncated list of rollouts", () => {
  const MIB = 1024 ** 2;
  let planted: PlantedHome;
  let folder: string;

  beforeEachPlantedRun((home, path) => {
    planted = home;
    folder = path;
  });

  /** A list of one rollout with this total size in bytes. */
  async function longList(source: "training" | "evaluation", bytes: number): Promise<void> {
    const files = planted.fileSystem.within(folder);
    const path =
      source === "training" ? "rollouts/step-000000.index.jsonl" : "eval/step-000000.jsonl";
    if (source === "training") {
      const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder });
      await store.addRollout(aRecord());
    } else {
      await mkdir(join(folder, "eval"));
      await files.append(
        join(folder, path),
        encodeJsonLine({ ...aRecord(), temperature: 1, purpose: "step 0", tokenData: [] }),
      );
    }
    await truncate(join(folder, path), bytes);
  }

  it.each([
    ["training", 10, /^(?!.*not shown)/],
    ["training", 40, /rollouts\/step-000000\.index\.jsonl .* its last \d\d MiB are not shown/],
    ["evaluation", 300, /eval\/step-000000\.jsonl .* its last \d\d MiB are not shown/],
  ] as const)("the dashboard reports a truncated %s list of %d MiB", async (source, size, said) => {
    await longList(source, size * MIB);
    const follower = new RunFollower({ fileSystem: planted.fileSystem, folder });
    await follower.refresh();
    expect(follower.problem ?? "").not.toContain("not shown");
    for (const _ of [1, 2]) expect(await follower.rollouts(0, source)).toHaveLength(1);
    expect(follower.problem ?? "").toMatch(said);
  });

  it("the terminal reports it below the table", async () => {
    await longList("training", 40 * MIB);
    const files = planted.fileSystem.within(folder);
    const lines = showStep(
      {
        fileSystem: files,
        clock: new FakeClock(),
        isProcessAlive: () => true,
        reader: createRunReader(files, folder),
        folder,
        width: 100,
        invocation: { program: "tinker-rl", cwd: "/" },
        loadTokenizer: () => Promise.reject(new Error("not asked for")),
      },
      1,
    );
    expect(JSON.stringify(await collect(lines))).toMatch(/step-000000\.index\.jsonl .* not shown/);
  });
});
