/** Goes through the views of the page as a user would. */

import type { Page } from "playwright-core";

/** Calls `look` with a name at every stop, when the view is drawn. */
export async function showViews(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  await page.locator(".reward canvas").waitFor();
  await page.waitForTimeout(400);
  await look("overview");
}
