import { expect, it, vi } from "vitest";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { digestView, readDigest, runDigestSchema } from "../../../src/core/runs/runDigest.ts";
import { runFigures } from "../../../src/core/sweeps/sweepRuns.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { aStoredResult } from "../runFolder/builders.ts";
import { writeEvaluation } from "../runFolder/evaluatedRun.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/demo";
const FILE = { runId: "r", generation: 0 };

function aRun() {
  const files = createMemoryFileSystem();
  const { metrics } = runPaths(FOLDER);
  const addRow = (step: number, mean: number | null, extra: object = {}) =>
    files.append(
      metrics,
      encodeJsonLine({ step, rollout: { reward: { mean } }, time: { total_s: 2 }, ...extra }),
    );
  return { files, metrics, addRow };
}

it("reports the best and the mean reward, the time, the last metrics, and the alarms of a run", async () => {
  const { files, addRow } = aRun();
  await addRow(0, 0.25, { loss: 3, alarm: { tool_errors: 1 } });
  await addRow(1, 0.75, { loss: 2, alarm: { tool_errors: 1 } });
  await addRow(2, null, { alarm: { tool_errors: 1, truncated_turns: 1, equal_rewards: 0 } });
  await addRow(3, 0.5, { loss: 1, alarm: { tool_errors: 1, truncated_turns: 1 } });
  expect(digestView(await readDigest(files, FOLDER, FILE, undefined))).toEqual({
    best: { value: 0.5, step: 4 },
    mean: 0.5,
    seconds: 8,
    metrics: { loss: 1 },
    alarms: 2,
    evaluations: {},
  });
});

it("has the run's own time, with repeated steps, if its rows store it", async () => {
  const { files, addRow } = aRun();
  await addRow(0, 0.25, { progress: { elapsed_s: 3 } });
  await addRow(1, 0.5, { progress: { elapsed_s: 9 } });
  expect(digestView(await readDigest(files, FOLDER, FILE, undefined)).seconds).toBe(9);
  expect((await runFigures(files, FOLDER)).totalS).toBe(9);
});

it("names the model of the newest result when a folder evaluated several", async () => {
  const files = createMemoryFileSystem();
  for (const [name, rewardMean] of [["A", 0] as const, ["B", 1] as const]) {
    const result = aStoredResult({ rewardMean, low: null, high: null });
    const entry = { step: 10, purpose: "asked", timeMs: 1, model: { name, path: null } };
    const line = encodeJsonLine({ ...entry, results: [result] });
    await files.append(runPaths(FOLDER).evaluations, line);
  }
  const { evaluations } = await readDigest(files, FOLDER, FILE, undefined);
  expect(evaluations).toMatchObject({ "local/calculator test greedy": { mean: 1, model: "B" } });
});

it("reads only what was added, even when kept between two windows", async () => {
  const { files, metrics, addRow } = aRun();
  await addRow(0, 0.25);
  await writeEvaluation(files, FOLDER, 1, 0.5);
  const first = await readDigest(files, FOLDER, FILE, undefined);
  expect(Object.keys(first.evaluations)).toEqual([
    "local/calculator test greedy",
    "local/calculator test temperature 1",
  ]);
  const kept = runDigestSchema.parse(JSON.parse(JSON.stringify(first)));
  const reading = vi.spyOn(files, "readRange");
  expect(await readDigest(files, FOLDER, FILE, kept)).toBe(kept);
  expect(reading).not.toHaveBeenCalled();
  await addRow(1, 0.75);
  const second = await readDigest(files, FOLDER, FILE, kept);
  expect(reading).toHaveBeenCalledExactlyOnceWith(metrics, first.offset, expect.any(Number));
  expect(digestView(second)).toMatchObject({ best: { value: 0.5, step: 2 }, mean: 0.5 });
});

it("reads everything again once a resume has replaced rows", async () => {
  const { files, metrics, addRow } = aRun();
  await addRow(0, 0.9);
  const first = await readDigest(files, FOLDER, FILE, undefined);
  await files.remove(metrics);
  await addRow(0, 0.1);
  const second = await readDigest(files, FOLDER, { ...FILE, generation: 1 }, first);
  expect(digestView(second)).toMatchObject({ best: { value: 0.1, step: 1 }, mean: 0.1 });
});
