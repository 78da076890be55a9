/** Runs in a table: sorted, filtered by an expression, grouped and starred; then three of them compared and exported. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeComparedRuns } from "../../fakes/comparedRuns.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
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

    await step(
      "the table is sorted, filtered by an expression, and reports an invalid one",
      async () => {
        await workbench.show("Tinker RL");
        await workbench.command("Tinker RL: Open Runs Table");
        await panel.getByText("9 runs", { exact: true }).waitFor();
        await panel.getByRole("button", { name: /^Best/ }).click();
        const filter = panel.getByLabel("Filter runs");
        await filter.fill("learning_rate <");
        await panel.getByText("A value is missing after").waitFor();
        await filter.fill("learning_rate > 1e-5 reward.best > 0.2");
        await panel.getByText("6 of 9 runs").waitFor();
        assert.ok((await names.allTextContents()).every((name) => !name.startsWith("lr-1e-5")));
      },
    );

    await step(
      "groups show their mean and spread, and a star is stored in the run's folder",
      async () => {
        await panel.getByLabel("Group").selectOption("over seed");
        await panel.getByText("learning_rate = 1e-4: 3 runs").waitFor();
        await panel
          .locator(".group-row")
          .getByText(/^0\.\d\d ± 0\.\d\d$/)
          .first()
          .waitFor();
        const name = (await names.first().textContent()) ?? "";
        await panel.getByRole("button", { name: `Star ${name}` }).click();
        await panel.getByRole("button", { name: `Star ${name}`, pressed: true }).waitFor();
        assert.ok(existsSync(join(runsIn(folder), name, "marks.jsonl")));
        await accessible("groups");
        await panel.getByLabel("Group").selectOption("");
        await panel.getByLabel("Filter runs").fill("");
      },
    );

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

    await step("three runs are compared, on a logarithmic axis and zoomed in", () =>
      compareThree(stage),
    );

    await step("the export matches the metrics of the runs", async () => {
      await panel.locator(".compare").getByRole("button", { name: "Export" }).click();
      await panel.getByRole("menuitem", { name: /CSV/ }).click();
      await page.locator(".quick-input-widget:visible input").waitFor();
      await page.keyboard.press("Enter");
      const file = join(folder, "comparison.csv");
      await until("the file", () => existsSync(file) && readFileSync(file, "utf8") !== "");
      return checkNumbers(folder, readFileSync(file, "utf8"));
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

    await step("a narrow window shows the same", async () => {
      await workbench.command("View: Close Editor");
      await panel.getByRole("tab", { name: "Charts" }).click();
      await page.setViewportSize({ width: 1024, height: 700 });
      await panel.locator(".compare-chart canvas").first().waitFor();
      await picture("narrow");
    });

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

async function compareThree({ workbench, page, accessible }: Stage): Promise<void> {
  const panel = workbench.panel();
  for (const name of RUNS) {
    await panel.getByRole("checkbox", { name: `Compare ${name}`, exact: true }).click();
  }
  const plot = panel.locator(".compare-chart .u-over").first();
  await plot.waitFor();
  await panel.getByRole("button", { name: "Log y" }).click();
  const box = await plot.boundingBox();
  assert(box !== null);
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await panel.getByRole("button", { name: "Reset zoom" }).waitFor();
  await accessible("charts");
}

/** Every number of the file is in the `metrics.jsonl` of its run. */
function checkNumbers(folder: string, csv: string): string {
  const [head = "", ...lines] = csv.trim().split("\n");
  const metrics = head.split(",").slice(2);
  assert.equal(lines.length, RUNS.length * STEPS);
  for (const line of lines) {
    const [run = "", step = "", ...cells] = line.split(",");
    const path = join(runsIn(folder), run, "metrics.jsonl");
    const row: unknown = JSON.parse(readFileSync(path, "utf8").split("\n")[Number(step) - 1] ?? "");
    for (const [index, metric] of metrics.entries()) {
      const keys = metric.split("/");
      const value = keys.reduce<unknown>((own, key) => Object(own)[key], row);
      assert.equal(cells[index], String(value ?? ""), `${run} ${step} ${metric}`);
    }
  }
  return `${lines.length} rows of ${metrics.length} metrics`;
}
