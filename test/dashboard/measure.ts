/** Times of the page against its budgets: `node scripts/run.mjs test/dashboard/measure.ts RUN_FOLDER`. */

import { launchBrowser } from "../workbench/browser.ts";
import { openDashboardPage } from "./dashboardPage.ts";
import { THEMES } from "./themes.ts";

const [folder = ""] = process.argv.slice(2);
const [theme] = THEMES;
const browser = await launchBrowser();
const memoryBefore = process.memoryUsage().rss;
const started = performance.now();
const { page, close, session } = await openDashboardPage(browser, { folder, theme });
const loaded = performance.now();
await page.locator(".reward canvas").waitFor();
await page.waitForFunction(
  "document.querySelector('.reward .fact').textContent.includes('Latest')",
);
console.log(
  `page ${(loaded - started).toFixed(0)} ms, first chart ${(performance.now() - loaded).toFixed(0)} ms after it`,
);
await page.waitForTimeout(8_000);
const { metrics } = session.run?.follower ?? { metrics: null };
const bytes = (metrics?.names ?? []).reduce(
  (sum, name) => sum + (metrics?.values(name).buffer.byteLength ?? 0),
  0,
);
console.log(
  `columns ${metrics?.names.length}, ${(bytes / 1e6).toFixed(1)} MB; process +${((process.memoryUsage().rss - memoryBefore) / 1e6).toFixed(0)} MB`,
);
const draw = await page.evaluate(`new Promise((done) => {
  const times = [];
  let last = performance.now();
  const slider = document.querySelector(".slider input");
  let count = 0;
  const next = () => {
    const start = performance.now();
    slider.value = String(0.3 + count / 50);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(() => setTimeout(() => {
      times.push(performance.now() - start);
      count += 1;
      if (count < 10) next(); else done(times);
    }));
  };
  next();
})`);
console.log(
  `redraw of all charts: ${(draw as readonly number[]).map((ms) => ms.toFixed(0)).join(", ")} ms`,
);
await close();
await browser.close();
