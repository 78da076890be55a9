/** The page of a run in progress: nothing moves as its numbers arrive. */

import { expect, it } from "vitest";
import { STEPS, startGrowingRun } from "../server/dashboard/growingRun.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";

/** Records layout shifts without user input, and their positions. */
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

const { parent, fileSystem, open } = pagesOfEachTest();

it("shifts nothing over 50 steps with saves, evaluations and an alarm, in windows of any width", async () => {
  const run = await startGrowingRun(fileSystem, parent);
  const pages = await Promise.all(
    [1280, 900, 600].map((width) =>
      open({ folder: run.folder, width, height: 1200, atStart: RECORD_SHIFTS }),
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
}, 280_000);
