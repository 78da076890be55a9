/** The task table of a curriculum in the built page, in each theme. */

import { appendFile, readFile, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { writeEvidence } from "../../src/core/runFolder/curriculumTexts.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { writeState } from "../../src/core/runFolder/state.ts";
import { writeTimedRun } from "../server/dashboard/timedRun.ts";
import { aRunState } from "../trainer/runState.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { showRunPart } from "../workbench/dashboardPlaces.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";
import { THEMES } from "./themes.ts";

const { parent, fileSystem, open } = pagesOfEachTest();

/** A run of two steps with a curriculum that has tried 120 tasks. */
async function writeCurriculumRun(): Promise<string> {
  const folder = await writeTimedRun(fileSystem, parent, { rollouts: 64, atOnce: 64, places: 64 });
  const metrics = await readFile(runPaths(folder).metrics, "utf8");
  const row = JSON.parse(metrics.trim());
  const curriculum = { open: 40, hard: 40, solved: 40, new: 7 };
  await appendFile(
    runPaths(folder).metrics,
    `${JSON.stringify({ ...row, step: 1, curriculum })}\n`,
  );
  const tasks = Array.from({ length: 120 }, (_, i) => {
    const successes = [8, 4, 0][i % 3] ?? 0;
    const evidence = { successes, failures: 8 - successes, tokens: 100 + i, step: 0 };
    return [`local/calculator:train:${i}`, evidence] as const;
  });
  const known = { tasks: writeEvidence(tasks), drawn: [] };
  await writeState(fileSystem.within(folder), folder, aRunState(2, { curriculum: known }));
  return folder;
}

describe("the task table", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await writeCurriculumRun();
  });

  const firstTask = (page: Page) => page.locator("tbody tr").first();

  it.each(THEMES)(
    "is sorted, narrowed down and paged, and leads to rollouts: $name",
    async (theme) => {
      const { page } = await open({ folder, theme });
      await showRunPart(page, "Tasks");
      const table = page.getByRole("table", { name: "Tasks" });
      await table.waitFor();
      expect(await page.getByRole("status").allTextContents()).toContain(
        "120 tasks · as saved after 2 steps",
      );
      await page.getByRole("button", { name: "Next page" }).click();
      await page.getByText("Page 2 of 3").waitFor();
      const success = table.getByRole("columnheader", { name: "Success" });
      await success.getByRole("button").click();
      await page.getByText("Page 1 of 3").waitFor();
      await firstTask(page).getByText("0.90").waitFor();
      expect(await success.getAttribute("aria-sort")).toBe("descending");
      await page.getByLabel("Pool").selectOption("hard");
      await firstTask(page).getByText("out of reach").waitFor();
      expect(await accessibilityFaults(page.mainFrame())).toEqual([]);
      await page.getByLabel("Find a task").fill("train:2");
      await page.getByText("5 tasks").waitFor();
      await page.getByLabel("Find a task").fill("train:26");
      await page.getByText("1 task ").waitFor();
      await firstTask(page).getByRole("button").click();
      await page.locator(".grid-row").first().waitFor();
      expect(await page.locator("#rollout-filter").inputValue()).toBe("local/calculator:train:26");
      expect(await page.locator('.grid-row[aria-level="2"]').count()).toBe(1);
    },
  );

  it("says why it is not available", async () => {
    await writeFile(runPaths(folder).state, "{");
    const { page } = await open({ folder });
    await showRunPart(page, "Tasks");
    await page.getByText("Neither state.json nor state.prev.json").waitFor();
  });
});
