/** Goes through the views of the runs table as a user would. */

import type { Page } from "playwright-core";

/** Calls `look` with a name at every stop, once the view is drawn. */
export async function showRunsViews(
  page: Page,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const lookAt = async (name: string): Promise<void> => {
    // Charts and colors follow in the next frames.
    await page.waitForTimeout(150);
    await look(name);
  };
  await page.locator(".grid-row").first().waitFor();
  await page.getByText(/reading/).waitFor({ state: "detached" });
  await lookAt("table");
  const filter = page.getByLabel("Filter runs");
  await filter.fill("learning_rate <");
  await lookAt("filter-unfinished");
  await filter.fill("learning_rate < 1e-3 reward.best > 0.2");
  await page.getByLabel("Group").selectOption("over seed");
  await lookAt("groups");
  await page.getByRole("button", { name: "Columns" }).click();
  await lookAt("columns");
  await page.keyboard.press("Escape");
  await filter.fill("");
  await page.getByLabel("Group").selectOption("");
  await showComparison(page, lookAt);
}

async function showComparison(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const name of ["lr-1e-5-seed-1", "lr-1e-4-seed-1", "lr-1e-3-seed-1", "lr-1e-3-seed-2"]) {
    await page.getByLabel("Filter runs").fill(name);
    await page.getByRole("checkbox", { name: `Compare ${name}`, exact: true }).click();
  }
  await page.getByLabel("Filter runs").fill("");
  await page.locator(".compare-chart canvas").first().waitFor();
  await look("charts");
  await page.getByRole("button", { name: "Pin lr-1e-4-seed-1 as the baseline" }).click();
  await look("baseline");
  await page.getByRole("button", { name: "Metrics" }).click();
  await page.getByLabel(/^Filter metrics/).fill("time/");
  await look("metrics");
  await page.getByRole("button", { name: "Metrics" }).click();
  await page.getByRole("button", { name: "Log y" }).click();
  await page.getByLabel("Group").selectOption("over seed");
  await page.getByRole("button", { name: "Means of groups" }).click();
  await look("means");
  await page.getByRole("button", { name: "Means of groups" }).click();
  await page.getByRole("button", { name: "Log y" }).click();
  await page.getByLabel("Group").selectOption("");
  await page.getByRole("tab", { name: "Evaluations" }).click();
  await page.getByRole("button", { name: "Task by task" }).click();
  await look("evaluations");
  await page.getByRole("tab", { name: "Configuration" }).click();
  await look("configuration");
}
