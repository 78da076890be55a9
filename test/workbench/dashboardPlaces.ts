/** Opens views of the dashboard that have no tab of their own. */

import type { FrameLocator, Page } from "playwright-core";

type Panel = Page | FrameLocator;
type RunPart = "Timeline" | "Tasks" | "Configuration" | "Log" | "Checkpoints";

export async function showRunPart(panel: Panel, part: RunPart, timeout = 30_000): Promise<void> {
  await panel.getByRole("tab", { name: "Run", exact: true }).click({ timeout });
  const name = new RegExp(`^${part}`);
  await panel.locator(".run-head").getByRole("button", { name }).click({ timeout });
}

/** Opens the search in all steps. */
export async function showSearchPart(panel: Panel): Promise<void> {
  await panel.getByRole("tab", { name: "Rollouts" }).click();
  await panel.getByLabel("Where to search").selectOption("In all steps");
}

/** Opens the comparison of steps. */
export async function showChangesPart(panel: Panel): Promise<void> {
  await panel.getByRole("tab", { name: "Rollouts" }).click();
  await panel.getByRole("button", { name: "Compare steps…" }).click();
}
