/** The tooltip of a row in a side bar tree. */

import type { Locator } from "playwright-core";
import { appears } from "../workbench/workbench.ts";
import { type Stage, until } from "./journey.ts";

/** Hovers over `row` until its tooltip has `text`: a row that is redrawn under a resting pointer shows none. */
export async function rowHover(
  { page }: Pick<Stage, "page">,
  row: Locator,
  text: string | RegExp,
): Promise<Locator> {
  const hover = page.locator(".monaco-hover:visible", { hasText: text }).first();
  await until(
    `the tooltip with ${text}`,
    async () => {
      await page.mouse.move(600, 10);
      // Not the middle, where the row's buttons may be.
      await row.hover({ position: { x: 60, y: 8 } });
      return appears(hover, 3_000);
    },
    30_000,
  );
  return hover;
}
