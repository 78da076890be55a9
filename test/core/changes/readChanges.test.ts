import { beforeEach, expect, it } from "vitest";
import { readBehavior } from "../../../src/core/changes/behavior.ts";
import { readChanges } from "../../../src/core/changes/readChanges.ts";
import { stepPaths } from "../../../src/core/runFolder/files/layout.ts";
import type { BehaviorRow, ChangesReport } from "../../../src/shared/changes.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";
import {
  HACKED_STEPS,
  writeFailedGroup,
  writeHackedRollouts,
  writeMalformedCalls,
} from "./hackedRun.ts";

const FOLDER = "/runs/hacked";
let files = createMemoryFileSystem();

beforeEach(async () => {
  files = createMemoryFileSystem();
  await files.makeDirectory(`${FOLDER}/rollouts`);
  await writeHackedRollouts(files, FOLDER);
});

async function changesOf(before: readonly [number, number], after: readonly [number, number]) {
  const range = ([from, to]: readonly [number, number]) => ({ from, to });
  let last: ChangesReport | null = null;
  for await (const report of readChanges(files, FOLDER, {
    before: range(before),
    after: range(after),
  })) {
    last = report;
  }
  if (last === null) throw new Error("There was no report.");
  return last;
}

async function behavior(): Promise<readonly BehaviorRow[]> {
  const rows: BehaviorRow[] = [];
  for await (const report of readBehavior(files, FOLDER)) rows.push(...report.rows);
  return rows;
}

it("finds what the model started to say, with rollouts that say it", async () => {
  const report = await changesOf([0, 4], [5, 9]);
  expect(report).toMatchObject({ before: 40, after: 40, isComplete: true, progress: 1 });
  const hack = report.more.find(({ words }) => words.includes("sys exit"));
  expect(hack).toMatchObject({ before: 0, after: 30 });
  expect(hack?.examples[0]).toMatchObject({ step: 5, group: 0, rollout: 0, reward: 1 });
  expect(hack?.examples[0]?.snippet).toMatchObject({ role: "answer", turn: 0 });
  expect(report.less.some(({ words }) => words.includes("cannot solve"))).toBe(true);
});

it("reports rollouts of a group with similar endings, and their reward", async () => {
  const { endings } = await changesOf([0, 4], [5, 9]);
  expect(endings).toHaveLength(1);
  expect(endings[0]).toMatchObject({ step: 9, group: 0, rollouts: [0, 1, 2, 3, 4, 5], size: 8 });
  expect(endings[0]?.rewardMean).toBe(1);
  expect(endings[0]?.text).toContain("sys.exit(0)");
});

it("finds nothing in a range without steps", async () => {
  expect(await changesOf([0, 4], [90, 99])).toMatchObject({ after: 0, more: [], endings: [] });
});

it("measures tools, lengths, ends, and refusals of every step", async () => {
  const rows = await behavior();
  expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: HACKED_STEPS }, (_, at) => at));
  expect(rows[0]).toMatchObject({
    rollouts: 8,
    read: 8,
    calls: 1,
    malformedCalls: 0,
    argument: 15,
    refusals: 1,
    thinking: 13,
    tools: { run: 1 },
    stops: { max_turns: 1 },
  });
  expect(rows[9]).toMatchObject({
    refusals: 0.25,
    tools: { edit: 0.75, run: 0.25 },
    stops: { finished: 0.75, max_turns: 0.25 },
  });
});

it("measures no behavior from rollouts that were never played", async () => {
  const [before] = await behavior();
  await writeFailedGroup(files, FOLDER, 0);
  const [after] = await behavior();
  expect(after).toEqual({
    ...before,
    rollouts: 16,
    stops: { max_turns: 0.5, environment_error: 0.5 },
  });
});

it("counts successful, failed, and malformed calls separately", async () => {
  await writeMalformedCalls(files, FOLDER, HACKED_STEPS);
  expect((await behavior()).at(-1)).toMatchObject({
    step: HACKED_STEPS,
    calls: 2,
    failedCalls: 0.5,
    malformedCalls: 3,
  });
});

it("caches the rows of finished steps, and reads a step again when its index has grown", async () => {
  const first = await behavior();
  const kept = stepPaths(FOLDER, 0).bodies.replace(".jsonl", ".behavior.json");
  expect(files.files.has(kept)).toBe(true);
  expect(files.files.has(kept.replace("000000", "000009"))).toBe(false);
  files.files.delete(stepPaths(FOLDER, 0).bodies);
  expect(await behavior()).toEqual(first);
  const index = stepPaths(FOLDER, 0).index;
  await files.append(index, "\n");
  expect((await behavior())[0]).toMatchObject({ rollouts: 8, read: 0 });
});
