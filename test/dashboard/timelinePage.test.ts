/** The timeline of a step in the built page, over a run folder with 1,024 rollouts. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";
import { writeTimedRun } from "../server/dashboard/timedRun.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { showRunPart } from "../workbench/dashboardPlaces.ts";
import { type DashboardPage, openDashboardPage } from "./dashboardPage.ts";
import { browserOfAllTests } from "./testBrowser.ts";
import { THEMES } from "./themes.ts";

const [dark] = THEMES;

describe("the timeline", () => {
  const browser = browserOfAllTests();
  const parent = folderOfAllTests();
  const fileSystem = filesOnDisk();
  let dashboard: DashboardPage;

  beforeAll(async () => {
    const size = { rollouts: 1_024, atOnce: 256, places: 40 };
    const folder = await writeTimedRun(fileSystem, parent, size);
    dashboard = await openDashboardPage(browser(), { folder, theme: dark });
    await showRunPart(dashboard.page, "Timeline");
    await dashboard.page.locator(".timeline-row").first().waitFor();
  });
  afterAll(async () => {
    await dashboard?.close();
  });

  it("names the cause of a slow step, and links to the straggler", async () => {
    const { page } = dashboard;
    const stalls = page.getByRole("region", { name: "Stalls" });
    const texts = await stalls.getByRole("listitem").allTextContents();
    expect(texts.join("\n")).toMatch(
      /768 of 1,024 rollouts waited .+ for their turn: max_active_tasks allows 256 at/,
    );
    expect(texts.join("\n")).toMatch(/\d+ of 256 rollouts waited .+ for a session of local\/depot/);
    expect(texts.join("\n")).toMatch(/Group 128, rollout 6 took .+ × the median: 7 of its 9 turns/);
    await stalls.getByRole("button", { name: "Show rollout" }).click();
    await page.locator(".replay").waitFor();
    await page.keyboard.press("5");
    await page.locator(".timeline-row").first().waitFor();
  });

  it("draws only the visible rows, and opens the rollout of the row selected by keyboard", async () => {
    const { page } = dashboard;
    const grid = page.getByRole("grid");
    expect(await grid.getAttribute("aria-rowcount")).toBe("1024");
    expect(await page.locator(".timeline-row").count()).toBeLessThan(80);
    await page.getByLabel("Order").selectOption({ label: "by group" });
    await grid.focus();
    await page.keyboard.press("End");
    await page.locator('.timeline-row[aria-rowindex="1024"][aria-selected="true"]').waitFor();
    const described = await page.locator(".timeline-described").textContent();
    expect(described).toMatch(/^Group 128, rollout 8, .+: .+ in total, queue .+ sampling .+ tools/);
    await page.keyboard.press("Enter");
    await page.locator(".replay").waitFor();
    await page.keyboard.press("5");
    await page.locator(".timeline-row").first().waitFor();
  });

  it("has the seconds of each rollout as a table, in the selected order", async () => {
    const { page } = dashboard;
    await page.getByLabel("Order").selectOption({ label: "critical path first" });
    await page.getByRole("button", { name: "View as table" }).click();
    const table = page.getByRole("table", { name: "Seconds of each rollout" });
    await page.getByRole("button", { name: "View as bars" }).waitFor();
    expect((await table.getByRole("columnheader").allTextContents()).slice(0, 5)).toEqual([
      ...["group", "rollout", "start", "end", "in total"],
    ]);
    await page.getByRole("button", { name: "View as bars" }).click();
    await page.locator('.timeline-row[aria-rowindex="1"][data-path="true"]').waitFor();
  });

  it("has no axe-core findings, in any theme and also in a small window", async () => {
    const { page } = dashboard;
    await page.setViewportSize({ width: 1024, height: 700 });
    for (const theme of THEMES) {
      await dashboard.setTheme(theme);
      expect(await accessibilityFaults(page.mainFrame()), theme.name).toEqual([]);
    }
    expect(dashboard.faults).toEqual([]);
  });
});
