/** Goes through the views of the page as a user would. */

import type { Page } from "playwright-core";
import { showChangesPart, showRunPart, showSearchPart } from "../workbench/dashboardPlaces.ts";

type Look = (name: string) => Promise<void>;

/** Calls `look` with a name at every stop, once the view is drawn. */
export async function showViews(page: Page, look: Look): Promise<void> {
  const lookAt: Look = async (name) => {
    await settle(page);
    await look(name);
  };
  await showOverview(page, lookAt);
  await showTrajectories(page, lookAt);
  await showReading(page, lookAt);
  await showEvaluation(page, lookAt);
  await showRunPart(page, "Checkpoints");
  await lookAt("checkpoints");
  await showRunPart(page, "Configuration");
  await page.locator(".config-table").waitFor();
  await lookAt("config");
  await showRunPart(page, "Log");
  await lookAt("log");
  await showRunPart(page, "Timeline");
  await page.locator(".timeline-row").first().waitFor();
  await lookAt("timeline");
  await showSearch(page, lookAt);
  await showChanges(page, lookAt);
  await page.keyboard.press("?");
  await page.locator("dialog[open]").waitFor();
  await lookAt("help");
}

async function showOverview(page: Page, look: Look): Promise<void> {
  await page.locator(".reward canvas").waitFor();
  await look("overview");
  const settings = page.getByRole("button", { name: "Chart settings" });
  await settings.click();
  await page.getByLabel("Smoothing").waitFor();
  await look("chart-settings");
  await settings.click();
  await page.locator("#metrics-title").hover();
  await page.mouse.wheel(0, 5000);
  await look("overview-end");
  await page.getByRole("button", { name: "Choose metrics" }).click();
  await look("metrics");
  await page.getByRole("button", { name: "Choose metrics" }).click();
  await page.getByRole("button", { name: "View as table" }).click();
  await look("overview-table");
  await page.getByRole("button", { name: "View as chart" }).click();
}

async function showTrajectories(page: Page, look: Look): Promise<void> {
  await page.getByRole("tab", { name: "Rollouts" }).click();
  await page.locator(".grid-row").first().waitFor();
  await look("trajectories");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("button", { name: "Columns" }).click();
  await look("filters");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.locator(".grid-row").nth(0).click();
  await page.locator(".segments").getByRole("button", { name: "Markdown" }).click();
  await page.locator(".reward-footer").waitFor();
  await look("replay");
  await page.locator(".segments").getByRole("button", { name: "Tokens" }).click();
  await page.locator(".tokens, .replay-body .message").first().waitFor();
  await look("tokens");
  await page.locator(".segments").getByRole("button", { name: "Markdown" }).click();
}

/** Groups, the reader with marks, and two rollouts of a group side by side. */
async function showReading(page: Page, look: Look): Promise<void> {
  await page.getByRole("button", { name: "Back to the list" }).click();
  await page.getByRole("button", { name: "By task" }).click();
  await look("reading-groups");
  await page.locator(".grid-row:not(.group-row)").first().click();
  await page.keyboard.press("j");
  await page.getByText(/^2 of \d/).waitFor();
  // Marks set in one theme remain in the next.
  const unmarked = page.getByRole("button", { name: "Tags and note" });
  if (await unmarked.isVisible()) {
    await page.getByRole("button", { name: "Star", exact: true }).click();
    await unmarked.click();
  }
  await page.getByLabel("Add a tag").fill("reward hack?");
  await page.keyboard.press("Enter");
  await page.getByLabel("Note", { exact: true }).fill("Answers without a look at the file.");
  await page.getByLabel("Add a tag").focus();
  // A narrow list next to the replay leaves the column out.
  await page.locator(".mark-icons").first().waitFor({ state: "attached" });
  await page.locator(".replay-body").focus();
  await look("reading-marks");
  await page.locator(".reward-footer").scrollIntoViewIfNeeded();
  await look("reading-why");
  await page.getByLabel("Beside").selectOption("best");
  await page.locator(".beside .reward-footer").nth(1).waitFor();
  await look("reading-beside");
  await page.getByLabel("Beside").selectOption({ index: 0 });
  await page.getByRole("button", { name: "Back to the list" }).click();
  await page.getByRole("button", { name: "By task" }).click();
}

export async function showSearch(page: Page, look: Look): Promise<void> {
  await showSearchPart(page);
  await look("search-empty");
  await page.getByRole("searchbox", { name: "Search in rollouts" }).fill("answer");
  await page.locator(".snippet").first().waitFor();
  await look("search");
  await page.locator(".snippet").first().click();
  await page.locator(".replay .turn").first().waitFor();
  await look("search-opened");
  await showSearchPart(page);
  await page.getByRole("searchbox", { name: "Search in rollouts" }).fill("(");
  await page.getByRole("button", { name: "Search for a regular expression" }).click();
  await page.locator(".search-error").waitFor();
  await look("search-error");
  await page.getByRole("button", { name: "Search for a regular expression" }).click();
}

export async function showChanges(page: Page, look: Look): Promise<void> {
  await showChangesPart(page);
  const charts = page.locator(".behavior-chart");
  await charts.first().or(page.getByText("There is nothing to compare")).waitFor();
  await look("changes");
  if ((await charts.count()) === 0) return;
  const phrase = page.locator(".phrase").first();
  if (await phrase.isVisible()) await phrase.click();
  await look("changes-example");
  await charts.last().focus();
  await look("changes-charts");
}

async function showEvaluation(page: Page, look: Look): Promise<void> {
  await page.getByRole("tab", { name: "Evaluations" }).click();
  await page.locator(".evaluation-chart canvas").waitFor();
  await look("evaluations");
  await page.locator(".opens").last().click();
  await page.locator(".grid-row").first().waitFor();
  await look("evaluation");
  await page.locator(".grid-row").last().click();
  await page.locator(".reward-footer").waitFor();
  await look("evaluation-replay");
  await page.getByLabel("Beside").selectOption({ index: 1 });
  await page.locator(".beside .reward-footer").nth(1).waitFor();
  await look("evaluation-beside");
  await page.getByLabel("Beside").selectOption({ index: 0 });
  await page.getByRole("button", { name: "Back to the list" }).click();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("button", { name: "Follow latest" }).click();
}

/** Charts and colors follow in the next frames. */
async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(120);
}
