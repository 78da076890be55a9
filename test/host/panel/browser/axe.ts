/** What axe-core finds in a page. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/** One line for each rule that is broken. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile("node_modules/axe-core/axe.min.js", "utf8"));
  return await page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ impact, id, nodes }) =>
      impact + " " + id + ": " + nodes.slice(0, 4).map(({ target, any, failureSummary }) =>
        target.join(" ") + " (" + (any[0]?.message ?? failureSummary) + ")").join(" | ")))`);
}
