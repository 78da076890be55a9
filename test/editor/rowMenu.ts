/** The context menu of a row in a side bar tree. */

import type { Locator } from "playwright-core";
import { appears } from "../workbench/workbench.ts";
import { type Stage, until } from "./journey.ts";

/**
 * Picks from the menu of `row` until `effect` appears: a menu that has just opened ignores clicks for a moment, and it closes when
 * the tree is redrawn.
 */
export async function chooseInMenu(
  { page }: Pick<Stage, "page">,
  row: Locator,
  { title, effect }: { readonly title: string; readonly effect: Locator },
): Promise<void> {
  await row.waitFor();
  const item = page.getByRole("menuitem", { name: new RegExp(`^${title}`) });
  await until(title, async () => {
    const isOpen = await item.isVisible();
    if (!isOpen) await row.click({ button: "right", timeout: 1_000 }).catch(() => undefined);
    await item.click({ timeout: 1_000 }).catch(() => undefined);
    return appears(effect, 5_000);
  });
  // An effect that took longer appears under the menu of the second attempt.
  if (await item.isVisible()) await page.keyboard.press("Escape");
}
