/** Two rollouts beside each other in the built page: each turn stands beside the same turn of the other. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { aRecord } from "../core/runFolder/builders.ts";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { openDashboardPage } from "./dashboardPage.ts";
import { browserOfAllTests } from "./testBrowser.ts";

const SHOTS = "out/shots";
const GROUP = 80;
/** Characters of the results of each turn: where one side is short the other is long. */
const LEFT = [20, 4_000, 90, 60_000];
const RIGHT = [20, 60, 900];
const browser = browserOfAllTests();
const parent = folderOfAllTests();

it("begins each turn at the height of the same turn beside it, also in a small window", async () => {
  const dashboard = await openDashboardPage(browser(), {
    folder: await writeRun(),
    width: 1024,
    height: 700,
    state: {
      runId: "hard",
      view: {
        tab: "rollouts",
        rolloutSet: { source: "training", step: 23 },
        rollout: { group: GROUP, rollout: 0 },
        beside: "best",
      },
    },
  });
  const { page, faults } = dashboard;
  await page.locator(".beside .reward-footer").nth(1).waitFor();
  await page.waitForTimeout(200);
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, "beside-turns.png") });
  for (const turn of [2, 1, 0]) {
    await page.locator(`[data-turn="${turn}"]`).first().scrollIntoViewIfNeeded();
    await expect.poll(() => tops(page, `[data-turn="${turn}"]`)).toHaveLength(2);
    const [left, right] = await tops(page, `[data-turn="${turn}"]`);
    expect(right, `turn ${turn + 1}`).toBeCloseTo(left ?? Number.NaN, 0);
  }
  expect(await tops(page, '[data-turn="3"]')).toHaveLength(1);
  const [why, whyBeside] = await tops(page, ".reward-footer");
  expect(whyBeside).toBeCloseTo(why ?? Number.NaN, 0);
  expect(await tops(page, ".parting")).toHaveLength(2);
  const widths = await page
    .locator(".replay-body")
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(widths).toBe(0);
  await page.locator('[data-turn="2"]').first().scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(SHOTS, "beside-turns-end.png") });
  expect(faults).toEqual([]);
  await dashboard.close();
});

it("shows the tokens of a rollout beside the other, or why it has none", async () => {
  const { folder } = await writeTokens();
  const dashboard = await openDashboardPage(browser(), {
    folder,
    width: 1280,
    height: 700,
    state: {
      runId: "hard",
      view: {
        tab: "rollouts",
        rolloutSet: { source: "training", step: 23 },
        rollout: { group: 0, rollout: 0 },
        beside: "best",
        replayMode: "tokens",
      },
    },
  });
  const { page, faults } = dashboard;
  // Only the hard rollout is stored with tokens.
  await page.locator(".beside .token-controls").waitFor();
  await page.locator(".beside .message").waitFor();
  const titles = await page.locator(".beside section > h3").allTextContents();
  expect(new Set(titles).size).toBe(2);
  await page.screenshot({ path: join(SHOTS, "beside-tokens.png") });
  expect(faults).toEqual([]);
  await dashboard.close();
});

it("leaves the room to a replay in a small window, and brings the list back where one asks", async () => {
  const rollout = { group: GROUP, rollout: 0 };
  const dashboard = await openDashboardPage(browser(), {
    folder: join(parent, "hard"),
    width: 1024,
    height: 700,
    state: { runId: "hard", view: { tab: "rollouts", rollout } },
  });
  const { page, faults } = dashboard;
  await page.locator(".reward-footer").waitFor();
  const list = page.getByRole("region", { name: "Rollouts" });
  const button = page.getByRole("button", { name: "Keep the list open" });
  expect(await list.isVisible()).toBe(false);
  await page.screenshot({ path: join(SHOTS, "small-replay.png") });
  await button.click();
  expect(await list.isVisible()).toBe(true);
  await page.screenshot({ path: join(SHOTS, "small-replay-list.png") });
  await button.click();
  expect(await list.isVisible()).toBe(false);
  await page.setViewportSize({ width: 1200, height: 700 });
  expect(await list.isVisible()).toBe(true);
  expect(await button.isVisible()).toBe(false);
  expect(faults).toEqual([]);
  await dashboard.close();
});

function tops(page: Page, selector: string): Promise<readonly number[]> {
  return page
    .locator(`.beside ${selector}`)
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().top));
}

async function writeTokens(): Promise<{ readonly folder: string }> {
  const fileSystem = createFileSystem();
  const written = await writeHardRun(fileSystem, join(parent, "tokens"), {
    rollouts: 8,
    tokens: 60,
  });
  await fileSystem.close();
  return written;
}

/** The worse rollout has one turn more. */
async function writeRun(): Promise<string> {
  const fileSystem = createFileSystem();
  const { folder, step } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 20 });
  const store = createRolloutStore({
    fileSystem: fileSystem.within(folder),
    redactor: new Redactor(),
    folder,
  });
  const [turn] = aRecord().turns;
  if (turn === undefined) throw new Error("The sample record has a turn.");
  const turnsOf = (lengths: readonly number[]) =>
    lengths.map((length, at) => ({
      ...turn,
      sampledText: `turn ${at}`,
      stream: at > 1 ? lengths.length - 3 : 0,
      results: [
        {
          name: "look",
          isError: false,
          reward: null,
          finished: false,
          text: "word ".repeat(length / 5),
        },
      ],
    }));
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
  await fileSystem.close();
  return folder;
}
