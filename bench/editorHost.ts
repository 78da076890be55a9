/**
 * What following a run costs the extension host, measured in a process of its own with what the host uses: memory without
 * garbage, how long the event loop is held, and what is done for a page that is hidden. Run with `--expose-gc`.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../src/core/ports.ts";
import { RunFollower } from "../src/core/runFolder/follower.ts";
import { createRunReader } from "../src/core/runFolder/reader.ts";
import { DashboardSession } from "../src/host/dashboard/dashboardSession.ts";
import { searchRollouts } from "../src/host/dashboard/rolloutSearch.ts";
import { systemClock } from "../src/node/clock.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { addStep, LONG_STEPS, STEPS, WIDE_ROLLOUTS } from "./editorRuns.ts";
import { printRows, type Row } from "./editorTable.ts";
import { observe } from "./observe.ts";

const [steps = "", longSteps = "", wide = ""] = process.argv.slice(2);
const fileSystem = createFileSystem();
const HIDDEN_MS = 2_000;
const MEGABYTE = 2 ** 20;

/** What is left of the heap without garbage, with the numbers that lie beside it. */
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
  return { what: `memory of a run of ${count(STEPS)} steps`, samples, unit: "MB", budget: 60 };
}

async function readingRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const add = async (what: string, read: () => Promise<unknown>): Promise<void> => {
    const { wallS, cpuS, measurements } = await observe(what, read);
    const longest = measurements.find(({ name }) => name.endsWith("ticks, maximum"))?.value ?? 0;
    rows.push({ what, samples: [wallS * 1_000], unit: "ms", budget: null });
    rows.push({ what: "  processor time", samples: [cpuS * 1_000], unit: "ms", budget: null });
    rows.push({ what: "  longest hold of the loop", samples: [longest], unit: "ms", budget: null });
  };
  await add(`first reading of ${count(LONG_STEPS)} steps`, () =>
    new RunFollower({ fileSystem, folder: longSteps }).refresh(),
  );
  const follower = new RunFollower({ fileSystem, folder: wide });
  await add(`first reading of a step of ${count(WIDE_ROLLOUTS)} rollouts`, () =>
    follower.rollouts(0),
  );
  await add(`search in the messages of ${count(WIDE_ROLLOUTS)} rollouts`, async () => {
    const reader = createRunReader(fileSystem.within(wide), wide);
    const summaries = await follower.rollouts(0);
    for await (const report of searchRollouts(reader, summaries, "nowhere")) {
      if (report.found.length > 0) throw new Error("A word was found that is nowhere.");
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
      runs: { list: async () => [], find: async () => run },
      tokenTexts: async () => null,
      shortenPath: (path) => path,
      settings: {
        current: () => ({
          smoothing: 0.6,
          hasSingleKeys: true,
          hasLiveRegion: true,
          pinnedMetrics: [],
        }),
        pinMetrics: async () => undefined,
      },
    },
    { run, isVisible: true },
  );
  session.receive({ kind: "ready", version: 1 });
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
    {
      what: "messages to a hidden page, while five steps end",
      samples: [messages],
      unit: "",
      budget: 0,
    },
    { what: "timers for a hidden page", samples: [timers], unit: "", budget: 0 },
  ];
}

function count(value: number): string {
  return value.toLocaleString("en");
}

printRows("Host, in a process of its own", [
  await memoryRow(),
  ...(await readingRows()),
  ...(await hiddenRows()),
]);
process.exit(0);
