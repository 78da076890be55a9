/** The case-sensitivity switch of the search, in the built page. */

import { expect, it } from "vitest";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";

const { parent, fileSystem, open } = pagesOfEachTest();

it("switches case sensitivity by a button or Alt+C, and remembers it", async () => {
  const { folder } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 20 });
  // State stored by a page without the switch.
  const search = { text: "", isRegex: false, roles: [], isEveryRun: false };
  const dashboard = await open({
    folder,
    width: 1024,
    height: 700,
    view: { tab: "rollouts", rolloutPart: "search", search },
  });
  const { page } = dashboard;
  const field = page.getByRole("searchbox", { name: "Search in rollouts" });
  const toggle = page.getByRole("button", { name: "Match case" });
  await field.fill("RICHTIG");
  await page.locator(".snippet").first().waitFor();
  expect(await toggle.getAttribute("aria-pressed")).toBe("false");
  await toggle.click();
  await page.getByText("No rollouts found.").waitFor();
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
});
