/** Finds an evaluation's mark on the reward chart like a user: moves the mouse until the chart shows what a click would open. */

import type { FrameLocator, Page } from "playwright-core";

/** No point is farther than 8 px from one that is tried. */
const APART_PX = 10;

/** Leaves the mouse on the mark with a matching hint. @throws Error if there is none in the last third of the chart */
export async function moveToMark(
  mouse: Page["mouse"],
  panel: Page | FrameLocator,
  hint: RegExp,
): Promise<void> {
  const plot = panel.locator(".reward .u-over");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (box === null) throw new Error("The chart is not drawn.");
  const chart = panel.locator(".reward .uplot");
  for (let x = box.x + box.width + 12; x > box.x + (box.width * 2) / 3; x -= APART_PX) {
    for (let y = box.y; y < box.y + box.height; y += APART_PX) {
      await mouse.move(x, y);
      if (hint.test((await chart.getAttribute("title")) ?? "")) return;
    }
  }
  throw new Error(`No place of the chart says ${hint}.`);
}
