/** Scrolling the timeline of a step of 1,024 rollouts in the dashboard page: time per frame. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { openDashboardPage } from "../test/dashboard/dashboardPage.ts";
import { THEMES } from "../test/dashboard/themes.ts";
import { writeTimedRun } from "../test/server/dashboard/timedRun.ts";
import { showRunPart } from "../test/workbench/dashboardPlaces.ts";
import { cpuTimer } from "./cpuTimer.ts";
import { type Row, row } from "./editorTable.ts";

const ROLLOUTS = 1_024;
const FRAMES = 80;
/** Duration of a frame at 60 frames per second. */
const FRAME_MS = 16;

export async function timelineRow(browser: Browser): Promise<Row> {
  const [theme] = THEMES;
  const parent = await mkdtemp(join(tmpdir(), "tinker-rl-timeline-"));
  const fileSystem = createFileSystem();
  const size = { rollouts: ROLLOUTS, atOnce: 256, places: 40 };
  const folder = await writeTimedRun(fileSystem, parent, size);
  await fileSystem.close();
  const panel = await openDashboardPage(browser, { folder, theme });
  const { page } = panel;
  await showRunPart(page, "Timeline");
  await page.locator(".timeline-row").first().waitFor();
  const timer = await cpuTimer(page);
  const samples: number[] = [];
  for (let frame = 0; frame < FRAMES; frame += 1) {
    const before = await timer();
    await page.evaluate(SCROLL_ONCE);
    samples.push((await timer()) - before);
  }
  await panel.close();
  await rm(parent, { recursive: true });
  const what = `timeline of ${ROLLOUTS.toLocaleString("en")} rollouts: one frame of scrolling`;
  return row(what, samples, FRAME_MS);
}

/** Runs in the page: scrolls once and waits for the paint. */
async function SCROLL_ONCE(): Promise<void> {
  const grid = document.querySelector(".timeline-grid");
  if (grid === null) throw new Error("There is no grid.");
  const before = grid.scrollTop;
  grid.scrollBy(0, 240);
  if (grid.scrollTop === before) throw new Error("The grid did not scroll.");
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
}
