import { rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { readRunFile } from "../../../src/core/runFolder/runFile.ts";
import { systemClock } from "../../../src/node/clock.ts";
import type { FollowedRun } from "../../../src/server/runs/runFeed.ts";
import { ComparedRuns } from "../../../src/server/runsTable/comparedRuns.ts";
import { RunDigests } from "../../../src/server/runsTable/runDigests.ts";
import type { RunColumns } from "../../../src/shared/runsPage.ts";
import { writeComparedRuns } from "../../fakes/comparedRuns.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";

const fileSystem = filesOnDisk();

const root = folderOfEachTest();

/** A run whose read ends when the test says so. */
function heldRun(folder: string) {
  const follower = new RunFollower({ fileSystem, folder });
  let finish = (): void => undefined;
  const reading = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const run: FollowedRun = {
    follower,
    onDidChange: () => ({ dispose: () => undefined }),
    dispose: () => undefined,
    refresh: () => reading,
  };
  return { run, follower, finish };
}

function compare(folders: readonly string[], digests: RunDigests) {
  const posted: RunColumns[] = [];
  const messages: (readonly RunColumns[])[] = [];
  const followed: string[] = [];
  const runs = new Map(folders.map((folder) => [folder, heldRun(folder)]));
  const compared = new ComparedRuns({
    clock: systemClock,
    follow: (folder) => {
      followed.push(folder);
      const held = runs.get(folder);
      if (held === undefined) throw new Error(folder);
      return held.run;
    },
    keptCurves: (folder) => digests.curvesOf(folder),
    post: (message) => {
      if (message.kind !== "columns") return;
      posted.push(...message.runs);
      messages.push(message.runs);
    },
    onError: (error) => {
      throw error;
    },
  });
  compared.show(new Map(folders.map((folder) => [folder, folder])), ["loss"]);
  return { compared, posted, messages, followed, runs };
}

async function readAll(folders: readonly string[], digests: RunDigests): Promise<void> {
  for (const folder of folders) {
    const file = await readRunFile(fileSystem.within(folder), folder);
    await digests.read({ folder, file, phase: "done", steps: 100, used: null });
  }
  await digests.store();
}

function newDigests(): RunDigests {
  const cachePath = join(root, "digests.json");
  return new RunDigests({ fileSystem, cachePath, shortenPath: (path) => path });
}

test("the first charts of ended runs are there before their metrics are read, in later windows, too", async () => {
  const folders = writeComparedRuns(join(root, "runs"), { count: 2, steps: 100 });
  await readAll(folders, newDigests());
  const digests = newDigests();
  await digests.load();
  const { posted, compared } = compare(folders, digests);
  await vi.waitFor(() => expect(posted.length).toBe(2));
  for (const { id, columns, steps, rows } of posted) {
    const follower = new RunFollower({ fileSystem, folder: id });
    await follower.refresh();
    expect(rows).toBe(100);
    expect(steps?.values).toEqual(follower.metrics.steps().slice());
    expect(columns.map(({ name }) => name)).toContain("rollout/reward/mean");
    for (const { name, values } of columns) {
      expect(values, name).toEqual(follower.metrics.values(name).slice());
    }
  }
  compared.dispose();
});

test("cached data is sent in one message, and not again after the run was read", async () => {
  const folders = writeComparedRuns(join(root, "runs"), { count: 2, steps: 100 });
  const digests = newDigests();
  await readAll(folders, digests);
  const { posted, messages, runs, compared } = compare(folders, digests);
  await vi.waitFor(() => expect(messages.map((own) => own.length)).toEqual([2]));
  for (const { follower, finish } of runs.values()) {
    await follower.refresh();
    finish();
  }
  await vi.waitFor(() => expect(posted.length).toBe(4), 3_000);
  const known = posted[0]?.names ?? [];
  for (const { isReset, steps, columns, names } of posted.slice(2)) {
    expect({ isReset, steps, columns }).toEqual({ isReset: false, steps: null, columns: [] });
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => known.includes(name))).toEqual([]);
  }
  compared.dispose();
});

test("curves that could not be cached are cached when the run is read the next time", async () => {
  const [folder = ""] = writeComparedRuns(join(root, "runs"), { count: 1, steps: 100 });
  const digests = newDigests();
  const inTheWay = join(root, "digests.json.curves");
  writeFileSync(inTheWay, "");
  await expect(readAll([folder], digests)).rejects.toThrow("digests.json.curves");
  rmSync(inTheWay);
  await readAll([folder], digests);
  expect(await digests.curvesOf(folder)).not.toBeNull();
});

test("runs are read one after another, without delaying the first one's data", async () => {
  const folders = writeComparedRuns(join(root, "runs"), { count: 2, steps: 2 });
  const { followed, runs, compared } = compare(folders, newDigests());
  await vi.waitFor(() => expect(followed).toEqual(folders.slice(0, 1)));
  runs.get(folders[0] ?? "")?.finish();
  await vi.waitFor(() => expect(followed).toEqual(folders));
  compared.dispose();
});

test("curves of missing runs are deleted, and an empty list deletes nothing", async () => {
  const folders = writeComparedRuns(join(root, "runs"), { count: 2, steps: 100 });
  const digests = newDigests();
  await readAll(folders, digests);
  const kept = join(root, "digests.json.curves");
  digests.keepOnly(new Set());
  await digests.store();
  expect(await readdir(kept)).toHaveLength(2);
  digests.keepOnly(new Set(folders.slice(0, 1)));
  await digests.store();
  expect(await readdir(kept)).toHaveLength(1);
});
