/** The switch for upper and lower case of the search, in the built page. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { openDashboardPage } from "./dashboardPage.ts";
import { browserOfAllTests } from "./testBrowser.ts";

const SHOTS = "out/shots";
const browser = browserOfAllTests();
const parent = folderOfAllTests();

it("distinguishes upper and lower case by a button or Alt+C, and keeps that", async () => {
  const fileSystem = createFileSystem();
  const { folder } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 20 });
  await fileSystem.close();
  const dashboard = await openDashboardPage(browser(), {
    folder,
    width: 1024,
    height: 700,
    // As a page that knew no switch has kept it.
    state: {
      runId: "hard",
      view: {
        tab: "rollouts",
        rolloutPart: "search",
        search: { text: "", isRegex: false, roles: [], isEveryRun: false },
      },
    },
  });
  const { page, faults } = dashboard;
  const field = page.getByRole("searchbox", { name: "Search in rollouts" });
  const toggle = page.getByRole("button", { name: "Match case" });
  await field.fill("RICHTIG");
  await page.locator(".snippet").first().waitFor();
  expect(await toggle.getAttribute("aria-pressed")).toBe("false");
  await toggle.click();
  await page.getByText("No rollouts found.").waitFor();
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, "search-case.png") });
  expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
  await field.press("Alt+KeyC");
  await page.locator(".snippet").first().waitFor();
  expect(await field.inputValue()).toBe("RICHTIG");
  await field.press("Alt+KeyC");
  await page.getByText("No rollouts found.").waitFor();
  await field.fill("Richtig");
  await page.locator(".snippet").first().waitFor();
  await expect
    .poll(() => dashboard.keptState())
    .toMatchObject({ view: { search: { isCaseSensitive: true } } });
  expect(faults).toEqual([]);
  await dashboard.close();
});
