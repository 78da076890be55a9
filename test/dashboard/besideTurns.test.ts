/** Two rollouts side by side in the built page: each turn is aligned with the same turn of the other. */

import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { aRecord, aRecordedResult, aRecordedTurn } from "../core/runFolder/builders.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";

const GROUP = 80;
/** Characters of the results of each turn: where one side is short the other is long. */
const LEFT = [20, 4_000, 90, 60_000];
const RIGHT = [20, 60, 900];
const STEP = { source: "training", step: 23 };
const { parent, fileSystem, open, storeIn } = pagesOfEachTest();

it("starts each turn at the same height as the other rollout's, also in a small window", async () => {
  const rollout = { group: GROUP, rollout: 0 };
  const { page } = await open({
    folder: await writeRun(),
    width: 1024,
    height: 700,
    view: { tab: "rollouts", rolloutSet: STEP, rollout, beside: "best" },
  });
  await page.locator(".beside .reward-footer").nth(1).waitFor();
  await page.waitForTimeout(200);
  for (const turn of [2, 1, 0]) {
    await page.locator(`[data-turn="${turn}"]`).first().scrollIntoViewIfNeeded();
    await expect.poll(() => tops(page, `[data-turn="${turn}"]`)).toHaveLength(2);
    const [left, right] = await tops(page, `[data-turn="${turn}"]`);
    expect(right, `turn ${turn + 1}`).toBeCloseTo(left ?? Number.NaN, 0);
  }
  expect(await tops(page, '[data-turn="3"]')).toHaveLength(1);
  const [why, whyBeside] = await tops(page, ".reward-footer");
  expect(whyBeside).toBeCloseTo(why ?? Number.NaN, 0);
  expect(await tops(page, ".divergence")).toHaveLength(2);
  const widths = await page
    .locator(".replay-body")
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(widths).toBe(0);
});

it("shows the tokens of a rollout next to the other, or why it has none", async () => {
  const size = { rollouts: 8, tokens: 60 };
  const { folder } = await writeHardRun(fileSystem, join(parent, "tokens"), size);
  const rollout = { group: 0, rollout: 0 };
  const { page } = await open({
    folder,
    width: 1280,
    height: 700,
    view: { tab: "rollouts", rolloutSet: STEP, rollout, beside: "best", replayMode: "tokens" },
  });
  // Only the hard rollout is stored with tokens.
  await page.locator(".beside .token-controls").waitFor();
  await page.locator(".beside .message").waitFor();
  const titles = await page.locator(".beside section > h3").allTextContents();
  expect(new Set(titles).size).toBe(2);
});

it("gives the space to a replay in a small window, and shows the list again on request", async () => {
  const rollout = { group: GROUP, rollout: 0 };
  const { page } = await open({
    folder: join(parent, "hard"),
    width: 1024,
    height: 700,
    view: { tab: "rollouts", rollout },
  });
  await page.locator(".reward-footer").waitFor();
  const list = page.getByRole("region", { name: "Rollouts" });
  const button = page.getByRole("button", { name: "Keep the list open" });
  expect(await list.isVisible()).toBe(false);
  await button.click();
  expect(await list.isVisible()).toBe(true);
  await button.click();
  expect(await list.isVisible()).toBe(false);
  await page.setViewportSize({ width: 1200, height: 700 });
  expect(await list.isVisible()).toBe(true);
  expect(await button.isVisible()).toBe(false);
});

function tops(page: Page, selector: string): Promise<readonly number[]> {
  return page
    .locator(`.beside ${selector}`)
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().top));
}

/** The worse rollout has one turn more. */
async function writeRun(): Promise<string> {
  const { folder, step } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 20 });
  const store = storeIn(folder);
  const turnsOf = (lengths: readonly number[]) =>
    lengths.map((length, at) => {
      const text = "word ".repeat(length / 5);
      return aRecordedTurn({
        sampledText: `turn ${at}`,
        stream: at > 1 ? lengths.length - 3 : 0,
        results: [aRecordedResult({ name: "look", reward: null, finished: false, text })],
      });
    });
  for (const [rollout, lengths] of [LEFT, RIGHT].entries()) {
    const turns = turnsOf(lengths);
    await store.addRollout(aRecord({ step, group: GROUP, rollout, turns, reward: rollout }));
  }
  await store.addScores(
    step,
    [0, 1].map((rollout) => ({
      group: GROUP,
      rollout,
      advantage: rollout - 0.5,
      trainingUse: "trained" as const,
    })),
  );
  return folder;
}
