/** The charts of a comparison stayed empty until all metrics of nearly all runs had been read. */

import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { readRunFile } from "../../src/core/runFolder/runFile.ts";
import type { FollowedRun } from "../../src/host/runs/runFeed.ts";
import { ComparedRuns } from "../../src/host/runsPage/comparedRuns.ts";
import { RunDigests } from "../../src/host/runsPage/runDigests.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import type { RunsHostMessage } from "../../src/shared/runsPage.ts";
import { writeComparedRuns } from "../fakes/comparedRuns.ts";

const fileSystem = createFileSystem();
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tinker-rl-curves-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Columns = Extract<RunsHostMessage, { readonly kind: "columns" }>;

/** A run whose reading ends when the test says so. */
function heldRun(folder: string) {
  const follower = new RunFollower({ fileSystem, folder });
  let finish = (): void => undefined;
  const reading = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const run: FollowedRun = {
    ...{ follower, onDidChange: () => ({ dispose: () => undefined }), dispose: () => undefined },
    refresh: () => reading,
  };
  return { run, follower, finish };
}

function compare(folders: readonly string[], digests: RunDigests) {
  const posted: Columns[] = [];
  const followed: string[] = [];
  const runs = new Map(folders.map((folder) => [folder, heldRun(folder)]));
  const compared = new ComparedRuns({
    follow: (folder) => {
      followed.push(folder);
      const held = runs.get(folder);
      if (held === undefined) throw new Error(folder);
      return held.run;
    },
    keptCurves: (folder) => digests.curvesOf(folder),
    post: (message) => {
      if (message.kind === "columns") posted.push(message);
    },
    onError: (error) => {
      throw error;
    },
  });
  compared.show(new Map(folders.map((folder) => [folder, folder])), ["loss"]);
  return { compared, posted, followed, runs };
}

async function readAll(folders: readonly string[], digests: RunDigests): Promise<void> {
  for (const folder of folders) {
    const file = await readRunFile(fileSystem.within(folder), folder);
    await digests.read({ folder, file, phase: "done", steps: 100 });
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

test("one run after another is read, and what the first has is not held back", async () => {
  const folders = writeComparedRuns(join(root, "runs"), { count: 2, steps: 2 });
  const { followed, runs, compared } = compare(folders, newDigests());
  await vi.waitFor(() => expect(followed).toEqual(folders.slice(0, 1)));
  runs.get(folders[0] ?? "")?.finish();
  await vi.waitFor(() => expect(followed).toEqual(folders));
  compared.dispose();
});

test("curves of runs that are gone are deleted, and an empty list forgets nothing", async () => {
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
