/**
 * The extension host's cost of following a run, measured in a separate process with the host's own code: live memory, how long the
 * event loop is blocked, and the work for a hidden page. Run with `--expose-gc`.
 */

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../src/core/ports.ts";
import { RunFollower } from "../src/core/runFolder/follower.ts";
import { searchRun } from "../src/core/search/searchRun.ts";
import { systemClock } from "../src/node/clock.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { DashboardSession } from "../src/server/dashboard/dashboardSession.ts";
import { RunFeeds } from "../src/server/runs/runFeed.ts";
import { RunStore } from "../src/server/runs/runStore.ts";
import { RunDigests } from "../src/server/runsTable/runDigests.ts";
import { RunsSession } from "../src/server/runsTable/runsSession.ts";
import type { RunsHostMessage } from "../src/shared/runsPage.ts";
import { deleteFolder, newFolder } from "../test/editor/folders.ts";
import { writeComparedRuns } from "../test/fakes/comparedRuns.ts";
import { textsHere } from "../test/fakes/textsHere.ts";
import { addStep, LONG_STEPS, STEPS, WIDE_ROLLOUTS } from "./editorRuns.ts";
import { printRows, type Row, row } from "./editorTable.ts";
import { observe } from "./observe.ts";

const [steps = "", longSteps = "", wide = ""] = process.argv.slice(2);
const fileSystem = createFileSystem();
const HIDDEN_MS = 2_000;
const MEGABYTE = 2 ** 20;

/** Live heap plus array buffers, after garbage collection. */
function heldMb(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MEGABYTE;
}

async function memoryRow(): Promise<Row> {
  const before = heldMb();
  const follower = new RunFollower({ fileSystem, folder: steps });
  await follower.refresh();
  for (const step of (await follower.steps()).slice(-4)) await follower.rollouts(step);
  const samples = [heldMb() - before];
  if (follower.metrics.length < STEPS) throw new Error("The run was not read to its end.");
  return row(`memory of a run of ${count(STEPS)} steps`, samples, 60, "MB");
}

async function readingRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const add = async (what: string, read: () => Promise<unknown>): Promise<void> => {
    const { wallS, cpuS, measurements } = await observe(what, read);
    const longest = measurements.find(({ name }) => name.endsWith("ticks, maximum"))?.value ?? 0;
    rows.push(row(what, [wallS * 1_000]));
    rows.push(row("  processor time", [cpuS * 1_000]));
    rows.push(row("  longest hold of the loop", [longest]));
  };
  await add(`first reading of ${count(LONG_STEPS)} steps`, () =>
    new RunFollower({ fileSystem, folder: longSteps }).refresh(),
  );
  const follower = new RunFollower({ fileSystem, folder: wide });
  await add(`first reading of a step of ${count(WIDE_ROLLOUTS)} rollouts`, () =>
    follower.rollouts(0),
  );
  await add(`search in the messages of ${count(WIDE_ROLLOUTS)} rollouts`, async () => {
    const query = { text: "nowhere", isRegex: false, roles: [] };
    const search = { query, set: { source: "training", step: 0 }, maxHits: 1 } as const;
    for await (const report of searchRun(fileSystem.within(wide), wide, search)) {
      if (report.hits.length > 0) throw new Error("A word was found that is nowhere.");
    }
  });
  return rows;
}

/** A run that grows while its page is hidden. */
async function hiddenRows(): Promise<readonly Row[]> {
  let messages = 0;
  let timers = 0;
  const clock: Clock = {
    now: systemClock.now,
    monotonic: systemClock.monotonic,
    sleep: (ms, signal) => {
      timers += 1;
      return systemClock.sleep(ms, signal);
    },
    after: (ms, action) => {
      timers += 1;
      return systemClock.after(ms, action);
    },
  };
  const run = { id: "run", name: "run", follower: new RunFollower({ fileSystem, folder: steps }) };
  const session = new DashboardSession(
    {
      clock,
      fileSystem,
      isProcessAlive: () => true,
      command: async () => undefined,
      post: () => {
        messages += 1;
      },
      runs: { list: async () => [], find: async () => run, evaluated: () => null },
      tokenTexts: async () => null,
      texts: textsHere(fileSystem, longSteps),
      shortenPath: (path) => path,
      settings: {
        current: () => ({
          smoothing: 0.6,
          hasSingleKeys: true,
          hasLiveRegion: true,
          pinnedMetrics: [],
          hiddenCharts: [],
          savedFilters: [],
          isDemoCardClosed: false,
        }),
        keep: async () => undefined,
      },
    },
    { run, isVisible: true },
  );
  session.receive({ kind: "ready" });
  await sleep(HIDDEN_MS);
  if (messages === 0) throw new Error("A page that is visible got no message.");
  session.setVisible(false);
  await sleep(100);
  messages = 0;
  timers = 0;
  for (let step = STEPS; step < STEPS + 5; step += 1) {
    await addStep(fileSystem, steps, step);
    session.refresh();
    await sleep(HIDDEN_MS / 5);
  }
  session.dispose();
  return [
    row("messages to a hidden page, while five steps end", [messages], 0, ""),
    row("timers for a hidden page", [timers], 0, ""),
  ];
}

const COMPARED = { count: 10, steps: 50 };
const GROWTH = 200;

/** The host while ten runs are compared, each growing by {@link GROWTH} steps. */
async function comparedRows(): Promise<readonly Row[]> {
  const parent = newFolder();
  const folders = writeComparedRuns(parent, COMPARED);
  const onError = (error: unknown): void => console.error(error);
  const store = new RunStore({ fileSystem, clock: systemClock, nameOf: () => null, onError });
  await store.look([parent], []);
  const feeds = new RunFeeds({ store, fileSystem, onError });
  const sent = { ids: new Set<string>(), rows: new Map<string, number>() };
  const post = (message: RunsHostMessage): void => {
    if (message.kind === "rows") for (const { id } of message.rows) sent.ids.add(id);
    if (message.kind === "columns")
      for (const { id, rows } of message.runs) sent.rows.set(id, rows);
  };
  const session = new RunsSession(
    {
      clock: systemClock,
      fileSystem,
      post,
      runs: () => store.runs,
      hasSingleKeys: () => true,
      digests: new RunDigests({ fileSystem, cachePath: null, shortenPath: (path) => path }),
      layout: { read: () => null, keep: async () => undefined },
      open: async () => undefined,
      save: async () => undefined,
      follow: (folder) => feeds.follow(folder),
      ask: async () => undefined,
      diff: async () => undefined,
    },
    { isVisible: true },
  );
  session.receive({ kind: "ready" });
  // The first rows arrive once the cached rows have been read.
  while (sent.ids.size < COMPARED.count) await sleep(20);
  session.receive({ kind: "compare", ids: [...sent.ids], names: ["rollout/reward/mean", "loss"] });
  const sentSteps = async (steps: number): Promise<void> => {
    const isSent = () =>
      sent.rows.size === COMPARED.count && [...sent.rows.values()].every((rows) => rows === steps);
    while (!isSent()) await sleep(20);
  };
  await sentSteps(COMPARED.steps);
  const last = readFileSync(join(folders[0] ?? "", "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .at(-1);
  const lastRow: object = JSON.parse(last ?? "{}");
  const rows: Row[] = [];
  const before = heldMb();
  for (let step = COMPARED.steps; step < COMPARED.steps + GROWTH; step += 1) {
    for (const folder of folders) {
      appendFileSync(join(folder, "metrics.jsonl"), `${JSON.stringify({ ...lastRow, step })}\n`);
    }
    await sleep(20);
    const grown = step + 1 - COMPARED.steps;
    if (grown % 50 !== 0) continue;
    await sentSteps(step + 1);
    const what = `comparing ${COMPARED.count} runs: memory after ${grown} more steps`;
    rows.push(row(what, [heldMb() - before], null, "MB"));
  }
  session.dispose();
  feeds.close();
  store.close();
  deleteFolder(parent);
  return rows;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

printRows("Host, in a process of its own", [
  await memoryRow(),
  ...(await readingRows()),
  ...(await hiddenRows()),
  ...(await comparedRows()),
]);
process.exit(0);
