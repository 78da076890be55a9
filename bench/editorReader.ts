/** Moving between rollouts in the dashboard page, in a step of 10,000 rollouts: from the key press until the next one is painted. */

import type { Browser } from "playwright-core";
import { openDashboardPage } from "../test/dashboard/dashboardPage.ts";
import { THEMES } from "../test/dashboard/themes.ts";
import { WIDE_ROLLOUTS } from "./editorRuns.ts";
import { type Row, row } from "./editorTable.ts";

const TRIES = 15;
/** Faster than anyone reads. */
const READING_MS = 400;

export async function readerRow(browser: Browser, folder: string): Promise<Row> {
  const [theme] = THEMES;
  const panel = await openDashboardPage(browser, { folder, theme });
  const { page } = panel;
  await page.getByRole("tab", { name: "Rollouts" }).click();
  await page.locator(".grid-row").first().waitFor();
  await page.getByText(`${WIDE_ROLLOUTS.toLocaleString("en")} rollouts`).waitFor();
  await page.locator(".grid-row").first().click();
  await page.locator(".reward-footer").waitFor();
  const samples: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    await page.waitForTimeout(READING_MS);
    samples.push(await page.evaluate(NEXT_ROLLOUT));
  }
  await panel.close();
  const what = `reader: next of ${WIDE_ROLLOUTS.toLocaleString("en")} rollouts, by the clock`;
  return row(what, samples, 50);
}

/** Runs in the page: presses the key and returns the milliseconds until the next rollout is painted. */
async function NEXT_ROLLOUT(): Promise<number> {
  const title = (): string => document.querySelector(".replay-title h2")?.textContent ?? "";
  const before = title();
  const startedAt = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
  while (title() === before || document.querySelector(".reward-footer") === null) {
    await new Promise((next) => requestAnimationFrame(next));
  }
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  return performance.now() - startedAt;
}
