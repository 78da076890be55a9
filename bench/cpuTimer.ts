/** CPU time of a page's main thread. */

import type { CDPSession, Page } from "playwright-core";

/** Milliseconds of CPU time that the page's thread has spent in tasks. */
export async function cpuTimer(page: Page): Promise<() => Promise<number>> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
    return seconds * 1_000;
  };
}
