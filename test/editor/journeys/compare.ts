/** Runs in a table: starred, with menus; then three of them compared and exported. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeComparedRuns } from "../../fakes/comparedRuns.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { chooseInMenu } from "../rowMenu.ts";

const RUNS = ["lr-1e-5-seed-1", "lr-1e-4-seed-1", "lr-1e-3-seed-1"];
const SELECTED = ["lr-1e-5-seed-3", "lr-1e-4-seed-3"];
const STEPS = 60;

function runsIn(folder: string): string {
  return join(folder, ".tinker-rl", "runs");
}

export const compare: Journey = {
  name: "compare",
  prepare: (folder) => {
    writeFiles(folder, { "tinker-config.yaml": localConfig() });
    writeComparedRuns(runsIn(folder), { count: 9, steps: STEPS, tasks: 20 });
  },
  async run(stage) {
    const { workbench, page, folder, step, accessible, picture } = stage;
    const panel = workbench.panel();
    const names = panel.locator('.grid-row [data-column="name"]');

    await step("the table lists the runs, and a star is stored in the run's folder", async () => {
      await workbench.show("Tinker RL");
      await workbench.command("Tinker RL: Open Runs Table");
      await panel.getByText("9 runs", { exact: true }).waitFor();
      const name = (await names.first().textContent()) ?? "";
      await panel.getByRole("button", { name: `Star ${name}` }).click();
      await panel.getByRole("button", { name: `Star ${name}`, pressed: true }).waitFor();
      assert.ok(existsSync(join(runsIn(folder), name, "marks.jsonl")));
      await accessible("table");
    });

    await step("a row of the table has its run's menu", async () => {
      await chooseInMenu(stage, names.first(), {
        title: "Rename Run…",
        effect: page.locator(".quick-input-widget:visible input"),
      });
      const name = (await names.first().textContent()) ?? "";
      assert.equal(await page.locator(".quick-input-widget:visible input").inputValue(), name);
      await page.keyboard.press("Escape");
    });

    await step("Ctrl+A selects all runs, and no text of the page", async () => {
      await names.first().click();
      await page.keyboard.press("Control+a");
      await panel.getByText("9 chosen").waitFor();
      const selected = await panel.locator("body").evaluate(() => String(getSelection()));
      assert.equal(selected, "");
      await panel.getByRole("button", { name: "Choose none" }).click();
    });

    await step("three runs are compared", async () => {
      for (const name of RUNS) {
        await panel.getByRole("checkbox", { name: `Compare ${name}`, exact: true }).click();
      }
      await panel.locator(".compare-chart canvas").first().waitFor();
      await accessible("charts");
    });

    await step("the export is written to the chosen file", async () => {
      await panel.locator(".compare").getByRole("button", { name: "Export" }).click();
      await panel.getByRole("menuitem", { name: /CSV/ }).click();
      await page.locator(".quick-input-widget:visible input").waitFor();
      await page.keyboard.press("Enter");
      const file = join(folder, "comparison.csv");
      await until("the file", () => existsSync(file) && readFileSync(file, "utf8") !== "");
      assert.equal(readFileSync(file, "utf8").trim().split("\n").length, 1 + RUNS.length * STEPS);
    });

    await step("a report of one run is a self-contained page", async () => {
      const [name = ""] = RUNS;
      await chooseInMenu(stage, workbench.row(new RegExp(`^run ${name}`)), {
        title: "Export Report…",
        effect: page.locator(".quick-input-widget:visible input"),
      });
      await page.keyboard.press("Enter");
      const file = join(folder, `${name}-report.html`);
      await until("the report", () => existsSync(file) && readFileSync(file, "utf8") !== "");
      const html = readFileSync(file, "utf8");
      assert.match(html, /<h2>Reward<\/h2>/);
      assert.doesNotMatch(html, /<script|https?:\/\/(?!www\.w3\.org)/);
      await workbench.notification("The report is in").waitFor();
    });

    await step(
      "evaluations are compared task by task, and configurations in the editor's diff",
      async () => {
        await panel.getByRole("tab", { name: "Evaluations" }).click();
        await panel
          .getByText(/better, \d+ worse of 20/)
          .first()
          .waitFor();
        await picture("evaluations");
        await panel.getByRole("tab", { name: "Configuration" }).click();
        await panel.getByRole("button", { name: "Open diff" }).first().click();
        await page
          .locator(".monaco-diff-editor .view-line", { hasText: "learning_rate" })
          .first()
          .waitFor();
        await picture("diff");
      },
    );

    await step("the Delete key asks once before it deletes all selected runs", async () => {
      for (const name of SELECTED) {
        await workbench.row(new RegExp(`^run ${name}`)).click({ modifiers: ["Control"] });
      }
      await page.keyboard.press("Delete");
      await page.getByText("Delete 2 runs?").waitFor();
      await picture("delete");
      await page.keyboard.press("Escape");
      assert.ok(SELECTED.every((name) => existsSync(join(runsIn(folder), name))));
    });
  },
};
