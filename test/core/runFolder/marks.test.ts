import { readFile, rm, writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { describeRollouts } from "../../../src/core/outputs/rolloutsOutput.ts";
import { describeRun } from "../../../src/core/outputs/runOutput.ts";
import { runPaths, stepPaths } from "../../../src/core/runFolder/files/layout.ts";
import {
  MAX_TAGS,
  markRollout,
  markRun,
  readMarks,
  StoredMarks,
} from "../../../src/core/runFolder/marks.ts";
import { createRunReader } from "../../../src/core/runFolder/reader.ts";
import { summarizeRollout } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { resumeRun, startRun } from "../../../src/core/runFolder/runFolder.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";
import { aRecord } from "./builders.ts";
import { createMemoryFileSystem, createStillClock } from "./memoryFileSystem.ts";

const KEY = { source: "training", step: 3, group: 1, rollout: 0 } as const;

/** One folder, with a separate file system for each window. */
async function onDisk() {
  const folder = folderOfThisTest();
  const window = () => {
    const fileSystem = createFileSystem();
    onTestFinished(() => fileSystem.close());
    return fileSystem.within(folder);
  };
  return { folder, window, path: runPaths(folder).marks };
}

test("a run and its rollouts keep their last star, pin, and note, and all tags", async () => {
  const { folder, window } = await onDisk();
  const files = window();
  await markRun(files, folder, { star: true, note: "first" });
  await markRun(files, folder, { note: "the better one" });
  await markRollout(files, folder, KEY, { addTag: "hack", pin: true });
  await markRollout(files, folder, KEY, { addTag: "loop" });
  await markRollout(files, folder, KEY, { removeTag: "hack" });
  expect(await readMarks(files, folder)).toEqual({
    run: { star: true, pin: false, tags: [], note: "the better one" },
    rollouts: [{ ...KEY, mark: { star: false, pin: true, tags: ["loop"], note: "" } }],
    problem: null,
  });
});

test("two windows that mark at the same time lose nothing", async () => {
  const { folder, window } = await onDisk();
  const windows = [window(), window()];
  await Promise.all(
    windows.flatMap((files, own) =>
      Array.from({ length: 10 }, (_, at) =>
        markRollout(files, folder, KEY, { addTag: `${own}/${at}` }),
      ),
    ),
  );
  const { rollouts, problem } = await readMarks(window(), folder);
  expect(problem).toBeNull();
  expect(rollouts[0]?.mark.tags).toHaveLength(20);
});

test("a damaged file keeps its content, reports the line, and accepts further marks", async () => {
  const { folder, window, path } = await onDisk();
  const damaged = '{"of":"run","star":true}\n{"of":"rollout","step":-1}\n{"of":"run","note":"cut o';
  await writeFile(path, damaged);
  const files = window();
  await markRun(files, folder, { addTag: "after" });
  const { run, problem } = await readMarks(files, folder);
  expect(run).toEqual({ star: true, pin: false, tags: ["after"], note: "" });
  expect(problem).toBe(
    "marks.jsonl is damaged: line 2, 3 cannot be read. The other marks are shown, and the file is not changed.",
  );
  expect(await readFile(path, "utf8")).toContain(damaged);
});

test("a mark after the file was removed starts a new file", async () => {
  const { folder, window, path } = await onDisk();
  const files = window();
  const stored = new StoredMarks(files, folder);
  await markRun(files, folder, { note: "a long note of the first file" });
  await stored.refresh();
  await rm(path);
  await markRun(files, folder, { star: true });
  expect((await stored.refresh()).run).toEqual({ star: true, pin: false, tags: [], note: "" });
});

test("another window sees new marks, and the same object while nothing is new", async () => {
  const { folder, window } = await onDisk();
  const stored = new StoredMarks(window(), folder);
  const empty = await stored.refresh();
  expect(await stored.refresh()).toBe(empty);
  await markRollout(window(), folder, KEY, { star: true });
  expect((await stored.refresh()).rollouts).toMatchObject([{ step: 3, mark: { star: true } }]);
});

test("tags, notes, and the file have size limits", async () => {
  const files = createMemoryFileSystem();
  for (let at = 0; at < MAX_TAGS + 5; at += 1) await markRun(files, "run", { addTag: `t${at}` });
  expect((await readMarks(files, "run")).run.tags).toHaveLength(MAX_TAGS);
  files.files.set("run/marks.jsonl", Buffer.alloc(16 * 1024 * 1024, "\n"));
  await expect(markRun(files, "run", { star: true })).rejects.toMatchObject({ code: "marks-full" });
});

test("a note or tag that is too long is not written, and the limit is reported", async () => {
  const files = createMemoryFileSystem();
  await markRun(files, "run", { note: "n".repeat(4_000), addTag: "t".repeat(60) });
  const before = await readMarks(files, "run");
  expect(before).toMatchObject({ run: { tags: ["t".repeat(60)] }, problem: null });
  await expect(markRun(files, "run", { note: "n".repeat(4_001) })).rejects.toMatchObject({
    code: "mark-length",
    message: expect.stringContaining("a note at most 4,000"),
  });
  await expect(markRollout(files, "run", KEY, { addTag: "t".repeat(61) })).rejects.toMatchObject({
    code: "mark-length",
    message: expect.stringContaining("1 to 60 characters"),
  });
  expect(await readMarks(files, "run")).toEqual(before);
});

test("a mark stays with the rollout of its attempt when a resume repeats the step", async () => {
  const fileSystem = createMemoryFileSystem();
  const clock = createStillClock();
  const starter = { pid: 41, host: "here", owner: "terminal", configPath: "config.yaml" } as const;
  const parts = { fileSystem, clock };
  const { folder } = await startRun(parts, { ...starter, parent: "p", name: "a", runId: "id" });
  for (const step of [2, 3]) await fileSystem.append(stepPaths(folder, step).index, "x\n");
  await markRollout(fileSystem, folder, { ...KEY, step: 2 }, { star: true });
  await markRollout(fileSystem, folder, KEY, { star: true });
  const stored = new StoredMarks(fileSystem, folder);
  expect((await stored.refresh()).rollouts).toHaveLength(2);
  await resumeRun({ ...parts, isProcessAlive: () => false }, { ...starter, folder, step: 3 });
  expect((await stored.refresh()).rollouts).toMatchObject([{ step: 2 }]);
  await markRollout(fileSystem, folder, KEY, { pin: true });
  const after = await stored.refresh();
  expect(after.rollouts[1]).toEqual({
    ...KEY,
    mark: { star: false, pin: true, tags: [], note: "" },
  });
});

test("the JSON output of a run and its rollouts has their marks", async () => {
  const files = createMemoryFileSystem();
  const record = aRecord({ step: 3, group: 1, rollout: 0 });
  const line = summarizeRollout(record, { offset: 0, length: 1 });
  await files.append(stepPaths("run", 3).index, `${JSON.stringify(line)}\n`);
  await markRun(files, "run", { addTag: "keep" });
  await markRollout(files, "run", KEY, { note: "reads the answer file" });
  const { mark } = await describeRun(files, { folder: "run", run: null, nowMs: 0 });
  expect(mark).toEqual({ star: false, pin: false, tags: ["keep"], note: "" });
  const { rollouts } = await describeRollouts(createRunReader(files, "run"), {
    source: "training",
    step: 4,
  });
  expect(rollouts).toMatchObject([{ group: 2, mark: { note: "reads the answer file" } }]);
});
