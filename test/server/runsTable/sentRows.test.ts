import { expect, it } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { readRun } from "../../../src/core/runs/runList.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { RunDigests } from "../../../src/server/runsTable/runDigests.ts";
import { SentRows } from "../../../src/server/runsTable/sentRows.ts";
import type { RunsHostMessage, RunsTableRow } from "../../../src/shared/runsPage.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

it("knows the run that another took its weights from, also where two folders hold one of its name", async () => {
  const fileSystem = createMemoryFileSystem();
  const digests = new RunDigests({ fileSystem, cachePath: null, shortenPath: (path) => path });
  const runs: RunEntry[] = [];
  const add = async (folder: string, start: string | null): Promise<void> => {
    await fileSystem.writeAtomic(`${folder}/run.json`, JSON.stringify(aRunFile()));
    const place = { name: folder, folder };
    const run = await readRun(fileSystem, place, { nowMs: 0, isProcessAlive: () => false });
    if (run !== null) runs.push({ ...run, status: null, best: null, isLive: false });
    digests.settings.set(folder, new Map([["init_from", JSON.stringify(start)]]));
  };
  await add("/work/first/demo", null);
  await add("/work/second/demo", null);
  await add("/work/child", "../work/first/demo");
  await add("/work/other", "./demo");
  const rows: RunsTableRow[] = [];
  const post = (message: RunsHostMessage): void => {
    if (message.kind === "rows") rows.push(...message.rows);
  };
  new SentRows({ runs: () => runs, digests, post }).sendAll();
  const from = rows.map((row) => row.from);
  expect(from.slice(0, 3)).toEqual([null, null, runIdOf("/work/first/demo")]);
  expect(from[3]).toMatch(/^[0-9a-f]{16}$/);
});
