import { expect, it } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { readRun } from "../../../src/core/runs/runList.ts";
import { addTokens, NO_RUN_USAGE, NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { RunDigests } from "../../../src/server/runsTable/runDigests.ts";
import { SentRows } from "../../../src/server/runsTable/sentRows.ts";
import type { RunsHostMessage, RunsTableRow } from "../../../src/shared/runsPage.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

/** The rows of these runs, each changed by `facts`; `starts` has `init_from` by folder. */
async function rowsOf(
  starts: Readonly<Record<string, string | null>>,
  facts: Partial<RunEntry> = {},
  metrics = "",
): Promise<readonly RunsTableRow[]> {
  const fileSystem = createMemoryFileSystem();
  const digests = new RunDigests({ fileSystem, cachePath: null, shortenPath: (path) => path });
  const runs: RunEntry[] = [];
  const add = async (folder: string, start: string | null): Promise<void> => {
    await fileSystem.writeAtomic(`${folder}/run.json`, JSON.stringify(aRunFile()));
    await fileSystem.writeAtomic(`${folder}/metrics.jsonl`, metrics);
    const place = { name: folder, folder };
    const run = await readRun(fileSystem, place, { nowMs: 0, isProcessAlive: () => false });
    if (run !== null) {
      runs.push({ ...run, status: null, best: null, isLive: false, ...facts });
      await digests.read(run);
    }
    digests.settings.set(folder, new Map([["init_from", JSON.stringify(start)]]));
  };
  for (const [folder, start] of Object.entries(starts)) await add(folder, start);
  const rows: RunsTableRow[] = [];
  const post = (message: RunsHostMessage): void => {
    if (message.kind === "rows") rows.push(...message.rows);
  };
  new SentRows({ clock: { now: () => 0 }, runs: () => runs, digests, post }).sendAll();
  return rows;
}

/** The folder label of each of these runs. */
async function startsShown(starts: Readonly<Record<string, string | null>>) {
  const rows = await rowsOf(starts);
  const folders = new Map(Object.keys(starts).map((folder) => [runIdOf(folder), folder]));
  return rows.map(({ from }) => (from === null ? null : folders.get(from)));
}

it("knows the run whose weights another run started from, also if several folders have a run of that name", async () => {
  const from = await startsShown({
    "/projects/a/.tinker-rl/runs/demo": null,
    "/projects/b/.tinker-rl/runs/demo": null,
    "/projects/c/.tinker-rl/runs/by-path": "/projects/a/.tinker-rl/runs/demo",
    "/projects/c/.tinker-rl/runs/from-home": "~/b/.tinker-rl/runs/demo",
    "/projects/a/.tinker-rl/runs/beside": ".tinker-rl/runs/demo@10",
  });
  const [a, b] = ["/projects/a/.tinker-rl/runs/demo", "/projects/b/.tinker-rl/runs/demo"];
  expect(from).toEqual([null, null, a, b, a]);
});

it("names no run if several could be meant, or the named one is not listed", async () => {
  const from = await startsShown({
    "/projects/a/runs/demo": null,
    "/projects/b/runs/demo": null,
    "/projects/c/runs/unclear": "./demo",
    "/projects/c/runs/gone": "/projects/d/old/demo",
    "/projects/c/runs/address": "tinker://a/weights/demo",
  });
  expect(from).toEqual([null, null, null, null, null]);
});

it("sends the losses of a supervised run", async () => {
  const fit = { steps: 8, was: 2, now: 0.5, heldOut: 0.25 };
  expect(await rowsOf({ "/runs/sft": null }, { fit })).toMatchObject([
    { fit: { now: 0.5, heldOut: 0.25 } },
  ]);
});

it("has the same context value for a row's menu as the Runs view", async () => {
  const wordsOf = async (facts: Partial<RunEntry>) =>
    (await rowsOf({ "/runs/demo": null }, facts))[0]?.words;
  expect(await wordsOf({ phase: "stopped" })).toBe("run+ended+resumable+training");
  expect(await wordsOf({ phase: "running", isLive: true })).toBe("run+running+training");
});

it("has the tokens of the counted steps, also if the list was read before the last one", async () => {
  const usage = { ...NO_RUN_USAGE, cumulative: addTokens(NO_TOKENS, { sampled: 300 }) };
  const row = { step: 10, tokens: usage, cost: { cumulative_usd: 2 } };
  const used = { tokens: 200, costUsd: 1.5 };
  const facts = { phase: "running", isLive: true, steps: 11, used } as const;
  const spent = async (metrics: string) => {
    const [shown] = await rowsOf({ "/runs/demo": null }, facts, metrics);
    return [shown?.tokens, shown?.costUsd];
  };
  expect(await spent(`${JSON.stringify(row)}\n`)).toEqual([300, 2]);
  // An evaluation after the last step is in the list only.
  expect(await spent("")).toEqual([200, 1.5]);
});
