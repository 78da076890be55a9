import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import type { FolderReport } from "../../../src/core/search/searchRun.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import {
  reportsInThread,
  type SearchTask,
  type TextThreadOptions,
} from "../../../src/node/texts/textThread.ts";
import type { SearchQuery } from "../../../src/shared/search.ts";
import { aRecord } from "../../core/runFolder/builders.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";
import { startedRun } from "../../fakes/startedRun.ts";

const parent = folderOfAllTests();
const fileSystem = filesOnDisk();
const workerPath = join(parent, "textWorker.mjs");
let folders: readonly string[] = [];

beforeAll(async () => {
  await build({
    entryPoints: ["src/node/texts/textWorker.ts"],
    bundle: true,
    format: "esm",
    platform: "node",
    outfile: workerPath,
    logLevel: "error",
  });
  folders = [
    await runSaying("newer", "An apple a day."),
    await runSaying("older", `Two apples. ${"a".repeat(40)}!`),
  ];
});

it("searches several runs, one after the other", async () => {
  const reports = await search({ text: "apple" });
  const found = reports.flatMap(({ folder, hits }) => hits.map((hit) => [folder, hit.taskKey]));
  expect(found).toEqual(folders.map((folder) => [folder, "local/calculator:train:3"]));
  expect(reports.at(-1)).toMatchObject({ isComplete: true, progress: 1 });
  expect(reports.filter(({ isComplete }) => isComplete)).toHaveLength(1);
});

it("stops a regular expression that would never end, and says what to do", async () => {
  const query = { text: "(a+)+$", isRegex: true };
  await expect(search(query, { workerPath, deadlineMs: 1_000 })).rejects.toMatchObject({
    code: "text-stuck",
    message: expect.stringContaining("without nested repetitions"),
  });
});

it("waits for a disk that takes longer than the deadline", async () => {
  const slow = join(parent, "slowWorker.mjs");
  await writeFile(slow, "setTimeout(() => undefined, 2_000);");
  expect(await search({}, { workerPath: slow, deadlineMs: 900 })).toEqual([]);
});

it("gives the comparison the time that it needs", async () => {
  const { folder } = await startedRun(fileSystem, parent, { name: "changing" });
  for (const step of [0, 1]) await addRollout(folder, { step });
  const ranges = { before: { from: 0, to: 0 }, after: { from: 1, to: 1 } };
  const options = { workerPath, deadlineMs: 1 };
  for (const task of [{ kind: "behavior" }, { kind: "changes", ...ranges }] as const) {
    const completed: boolean[] = [];
    for await (const report of reportsInThread({ ...task, folder, readOnly: [] }, options)) {
      completed.push(report.isComplete);
    }
    expect(completed.at(-1)).toBe(true);
  }
});

it("reports why a search cannot start", async () => {
  await expect(search({ text: "[", isRegex: true })).rejects.toMatchObject({
    code: "bad-expression",
  });
});

it("ends when it is canceled", async () => {
  const query = { text: "(a+)+$", isRegex: true };
  const signal = AbortSignal.timeout(300);
  await expect(search(query, { workerPath, signal })).rejects.toMatchObject({
    name: "TimeoutError",
  });
});

it("caches results in the runs of the window, but not in a folder that was opened", async () => {
  const own = await runSaying("own", "apples");
  const opened = await runSaying("opened", "apples");
  for (const folder of [own, opened]) {
    // The newest step may grow, so it is not cached.
    await addRollout(folder, { step: 1, promptText: "pears" });
    const before = await readdir(join(folder, "rollouts"));
    const readOnly = [opened];
    const query = { text: "apples", isRegex: false, roles: [] };
    const task = { kind: "search", folders: [folder], set: null, maxHits: 9, query } as const;
    let hits = 0;
    for await (const report of reportsInThread({ ...task, readOnly }, { workerPath })) {
      hits += report.hits.length;
    }
    for await (const _ of reportsInThread({ kind: "behavior", folder, readOnly }, { workerPath }));
    expect(hits).toBe(1);
    const added = (await readdir(join(folder, "rollouts"))).filter(
      (name) => !before.includes(name),
    );
    expect(added).toEqual(
      folder === own ? ["step-000000.behavior.json", "step-000000.search.bin"] : [],
    );
  }
});

async function search(
  query: Partial<SearchQuery>,
  options: TextThreadOptions = { workerPath },
): Promise<readonly FolderReport[]> {
  const task: SearchTask = {
    kind: "search",
    folders,
    readOnly: [],
    set: null,
    maxHits: 10,
    query: { text: "", isRegex: false, roles: [], ...query },
  };
  const reports: FolderReport[] = [];
  for await (const report of reportsInThread(task, options)) reports.push(report);
  return reports;
}

async function runSaying(name: string, promptText: string): Promise<string> {
  const { folder } = await startedRun(fileSystem, parent, { name });
  await addRollout(folder, { promptText });
  return folder;
}

async function addRollout(folder: string, changes: Partial<RolloutRecord>): Promise<void> {
  const files = fileSystem.within(folder);
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder });
  await store.addRollout(aRecord(changes));
}
