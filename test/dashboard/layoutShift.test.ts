/** The page of a run that goes on: nothing moves as its numbers come. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { STEPS, startGrowingRun } from "../server/dashboard/growingRun.ts";
import { launchBrowser } from "../workbench/browser.ts";
import { openDashboardPage } from "./dashboardPage.ts";
import { THEMES } from "./themes.ts";

/** Keeps what moved without a key or a click, and where. */
const RECORD_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources, hadRecentInput } of list.getEntries()) {
      if (!hadRecentInput) shifts.push([value, ...sources.map(({ node, previousRect, currentRect }) => {
        const named = node?.nodeType === 1 ? node : node?.parentElement;
        const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
        return (named?.tagName + "." + named?.className + " " + named?.textContent.slice(0, 40)) + ": " +
          place(previousRect) + " → " + place(currentRect);
      })]);
    }
  }).observe({ type: "layout-shift", buffered: true });`;

let browser: Browser;
let parent = "";
const fileSystem = createFileSystem();

beforeAll(async () => {
  browser = await launchBrowser();
  parent = await mkdtemp(join(tmpdir(), "tinker-rl-shift-"));
});
afterAll(async () => {
  await browser?.close();
  await fileSystem.close();
  await rm(parent, { recursive: true, force: true });
});

it("shifts nothing over 50 steps with saves, evaluations and an alarm, in windows of any width", async () => {
  const [theme] = THEMES;
  if (theme === undefined) throw new Error("There is no theme.");
  const run = await startGrowingRun(fileSystem, parent);
  const pages = await Promise.all(
    [1280, 900, 600].map((width) =>
      openDashboardPage(browser, {
        folder: run.folder,
        theme,
        width,
        height: 1200,
        atStart: RECORD_SHIFTS,
      }),
    ),
  );
  const shown = (step: number) =>
    Promise.all(
      pages.map(({ page }) =>
        page.getByText(`step ${step} of ${STEPS}`, { exact: true }).waitFor(),
      ),
    );
  await run.step();
  await shown(1);
  await Promise.all(pages.map(({ page }) => page.locator(".small canvas").last().waitFor()));
  await Promise.all(pages.map(({ page }) => page.waitForTimeout(1_000)));
  for (const { page } of pages) await page.evaluate("shifts.length = 0");
  for (let step = 2; step <= STEPS; step += 1) {
    await run.step();
    await shown(step);
  }
  await pages[0]?.page.getByText("cut off by a token limit").waitFor();
  const shifts = await Promise.all(pages.map(({ page }) => page.evaluate("shifts")));
  expect(shifts).toEqual([[], [], []]);
  await Promise.all(pages.map((page) => page.close()));
}, 280_000);
