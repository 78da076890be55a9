import { expect, it, vi } from "vitest";
import { createUsageLog } from "../../../src/core/runFolder/usageLog.ts";
import { type ProgressCache, readRun } from "../../../src/core/runs/runList.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import type { RunFile } from "../../../src/shared/runFile.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { aRunFile } from "../runFolder/builders.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const PLACE = { name: "demo", folder: "/runs/demo" };
const LIVENESS = { nowMs: 0, isProcessAlive: () => false };

function aRun() {
  const fileSystem = createMemoryFileSystem();
  const writeFile = (changes: Partial<RunFile> = {}): Promise<void> => {
    const file: RunFile = aRunFile({ ...changes });
    return fileSystem.writeAtomic("/runs/demo/run.json", Buffer.from(JSON.stringify(file)));
  };
  const addRow = (step: number, mean: number, scored_frac = 1) => {
    const row = {
      step,
      rollout: { reward: { mean }, scored_frac },
      progress: { done_frac: (step + 1) / 10 },
    };
    return fileSystem.append("/runs/demo/metrics.jsonl", encodeJsonLine(row));
  };
  const known: ProgressCache = new Map();
  const reading = vi.spyOn(fileSystem, "readRange");
  return {
    fileSystem,
    reading,
    writeFile,
    addRow,
    read: () => readRun(fileSystem, PLACE, LIVENESS, known),
  };
}

it("shows steps, plan, and rewards from the last rows", async () => {
  const { writeFile, addRow, read } = aRun();
  await writeFile();
  await addRow(0, 0.25);
  await addRow(1, 0.5);
  expect(await read()).toMatchObject({
    phase: "stopped",
    steps: 2,
    totalSteps: 10,
    reward: 0.5,
    recentRewards: [0.25, 0.5],
  });
});

it("has no reward for a step with fewer than 90% of its rollouts scored", async () => {
  const { writeFile, addRow, read } = aRun();
  await writeFile();
  await addRow(0, 0.25, 0.9);
  await addRow(1, 1, 0.06);
  expect(await read()).toMatchObject({ reward: null, recentRewards: [0.25, null] });
});

it("does not count the row of the evaluation after the last step as a step", async () => {
  const { fileSystem, writeFile, addRow, read } = aRun();
  await writeFile();
  await addRow(0, 0.25);
  const end = { step: 1, evaluation_only: true, eval: { test: { reward_mean: 0.5 } } };
  await fileSystem.append("/runs/demo/metrics.jsonl", encodeJsonLine(end));
  expect(await read()).toMatchObject({ steps: 1, totalSteps: 10, reward: 0.25, problem: null });
});

it("reads rows again only when some were added or a resume replaced them", async () => {
  const { fileSystem, reading, writeFile, addRow, read } = aRun();
  await writeFile();
  await addRow(0, 0.25);
  await read();
  await writeFile({ heartbeatAtMs: 5 });
  expect(await read()).toMatchObject({ steps: 1, reward: 0.25 });
  expect(reading).toHaveBeenCalledTimes(1);
  await addRow(1, 0.5);
  expect(await read()).toMatchObject({ steps: 2, reward: 0.5 });
  fileSystem.files.delete("/runs/demo/metrics.jsonl");
  await addRow(0, 0.25);
  await addRow(1, 0.7);
  await writeFile({ generation: 1 });
  expect(await read()).toMatchObject({ steps: 2, reward: 0.7 });
});

it("counts usage of a killed run after its last row", async () => {
  const { fileSystem, writeFile, addRow, read } = aRun();
  await writeFile({ phase: "running" });
  await addRow(0, 0.25);
  const log = createUsageLog({ fileSystem, folder: PLACE.folder, log: silentLog });
  log.add({ for: "row", step: 0, seconds: 60 });
  log.add({ for: "update", step: 1, tokens: { ...NO_TOKENS, trained: 120 } });
  await log.flush();
  expect(await read()).toMatchObject({ phase: "interrupted", used: { tokens: 120 } });
});

it("shows what the trackers of a finished run still lack", async () => {
  const { fileSystem, writeFile, addRow, read } = aRun();
  await writeFile({ phase: "done" });
  await addRow(0, 0.25);
  await addRow(1, 0.5);
  expect(await read()).toMatchObject({ pendingReports: { rollouts: 0, rows: 0 } });
  await fileSystem.append(
    "/runs/demo/upload.jsonl",
    encodeJsonLine({ kind: "queued", attempt: 1, step: 1, waiting: 12 }),
  );
  const counts = { next: 1, history: 1, log: 0, events: 0, step: 1, runtimeS: 1 };
  const state = { confirmed: { ...counts, sent: { 1: 0 }, file: null }, pending: null };
  const place = {
    schemaVersion: 1,
    runId: "abcd1234",
    deployment: "https://wandb.test",
    entity: null,
    project: "p",
    isStopHandled: false,
    isEnded: false,
    online: state,
    offline: state,
  };
  await fileSystem.writeAtomic("/runs/demo/wandb.json", JSON.stringify(place));
  await writeFile({ phase: "done", generation: 1 });
  expect(await read()).toMatchObject({ pendingReports: { rollouts: 12, rows: 1 } });
  await writeFile({ phase: "stopped", generation: 1 });
  expect(await read()).toMatchObject({ pendingReports: { rollouts: 0, rows: 0 } });
});

async function listed(alarm: object) {
  const fileSystem = createMemoryFileSystem();
  const file = aRunFile();
  await fileSystem.writeAtomic("/runs/demo/run.json", Buffer.from(JSON.stringify(file)));
  for (const row of [
    { step: 0, alarm: { entropy_collapse: 1 } },
    { step: 1, alarm },
  ]) {
    await fileSystem.append("/runs/demo/metrics.jsonl", encodeJsonLine(row));
  }
  return readRun(fileSystem, { name: "demo", folder: "/runs/demo" }, LIVENESS);
}

it("the last row determines which alarms of a run fire", async () => {
  const fires = await listed({ entropy_collapse: 0, reward_decline: 1, of_another_version: 1 });
  expect(fires?.alarms).toEqual(["reward_decline"]);
  expect((await listed({ entropy_collapse: 0 }))?.alarms).toEqual([]);
});
