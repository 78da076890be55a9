/** The menu of a row in a tree of the side bar. */

import type { Locator } from "playwright-core";
import { appears } from "../workbench/workbench.ts";
import { type Stage, until } from "./journey.ts";

/**
 * Chooses in the menu of `row` until `effect` is there: a menu that has just opened takes no click for a moment, and it closes when
 * the tree is drawn again.
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
    return appears(effect, 2_000);
  });
}
