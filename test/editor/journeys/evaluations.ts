/** The best checkpoint by an evaluation, a branch and an evaluation from a step of the chart, and a dry run. */

import assert from "node:assert/strict";
import { showRunPart } from "../../workbench/dashboardPlaces.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import type { Journey } from "../journey.ts";
import { chooseInMenu } from "../rowMenu.ts";

const METRIC = "eval/local/calculator/test/temperature_1/reward_mean";
const CONFIG = localConfig({
  max_steps: 4,
  batch_size: 8,
  save_every: 0,
  save_best: METRIC,
  evaluation: {
    splits: { "local/calculator": ["test"] },
    every: 2,
    num_samples: 8,
    rollouts_per_task: 2,
    temperatures: [1],
  },
});

export const evaluations: Journey = {
  name: "evaluations",
  prepare: (folder) => writeFiles(folder, { "tinker-config.yaml": CONFIG }),
  async run({ workbench, page, step, accessible, picture, pictures }) {
    const panel = workbench.panel();
    const tab = workbench.tab("tinker-config-step");
    const plot = panel.locator(".reward .u-over");
    const menu = panel.getByRole("menu", { name: /^step \d+/ });
    const openMenu = async (): Promise<void> => {
      await plot.scrollIntoViewIfNeeded();
      const box = await plot.boundingBox();
      assert(box !== null);
      await page.mouse.move(box.x + box.width - 6, box.y + box.height / 2);
      await page.mouse.click(box.x + box.width - 4, box.y + box.height / 2, { button: "right" });
      await menu.waitFor();
    };

    await step("a dry run prints what would be trained, and trains nothing", async () => {
      await workbench.show("Tinker RL");
      await workbench.unfold("Checkpoints");
      await workbench.open("tinker-config.yaml");
      await workbench.command("Tinker RL: Dry Run");
      await workbench.terminal().getByText("No weights were changed").first().waitFor({
        timeout: 60_000,
      });
      await pictures("dryRun");
    });

    await step("the best checkpoint has a star and its value in its row", async () => {
      await workbench.command("Tinker RL: Start Training");
      await workbench.row(/^run tinker-config, done/).waitFor({ timeout: 120_000 });
      await workbench
        .row(/^checkpoint .*, best: [\d.]+/)
        .first()
        .waitFor();
    });

    await step("it is also marked in the charts and in the dashboard's list", async () => {
      await workbench.command("View: Close All Editors");
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.getByText("best checkpoint").first().waitFor();
      await accessible("best");
      await showRunPart(panel, "Checkpoints");
      await panel.getByText("★").first().waitFor();
      await pictures("list");
      await panel.getByRole("tab", { name: /Overview/ }).click();
    });

    await step("a step of the chart has a menu", async () => {
      await accessible("menu", async () => {
        await openMenu();
        await menu.getByRole("menuitem", { name: /^Branch from here/ }).waitFor();
      });
    });

    await step("Evaluate measures the checkpoint against the base model", async () => {
      if (!(await menu.isVisible())) await openMenu();
      await menu.getByRole("menuitem", { name: /^Evaluate / }).click();
      await page.getByText("test: 8 tasks × 2").waitFor();
      await workbench.pick("Evaluate as Configured");
      const row = workbench.row(/^run tinker-config-evaluation, done/);
      await row.waitFor({ timeout: 120_000 });
      await row.click();
      await workbench.command("Tinker RL: Open Dashboard");
      await row.dblclick();
      await panel.getByText("evaluation: 2 of 2 models").waitFor();
      await panel.getByRole("columnheader", { name: "Model" }).waitFor();
      assert.equal(await panel.locator("canvas").count(), 0);
      await accessible("evaluation");
    });

    await step("New Config from Checkpoint writes a file without starting it", async () => {
      await chooseInMenu({ page }, workbench.row(/^checkpoint .*, best: [\d.]+/).first(), {
        title: "New Config from Checkpoint",
        effect: page.getByText("resume_from: tinker://").first(),
      });
      await tab.first().waitFor();
      await workbench.notification("starts from").waitFor();
      await page.getByText("# tinker-rl: config, branched from tinker-config at").waitFor();
      await page.locator(".codelens-decoration", { hasText: "Start Training" }).waitFor();
      await picture("branch");
    });

    await step("Start Training offers the branch once it is saved", async () => {
      await tab.first().click();
      await workbench.command("File: Save");
      await page.locator(".tabs-container .tab.dirty").waitFor({ state: "hidden" });
      // A configuration in the active editor would start without a prompt.
      await page.locator(".tabs-container .tab", { hasText: "tinker-config-evaluation" }).click();
      await panel.getByText("evaluation: 2 of 2 models").waitFor();
      await workbench.command("Tinker RL: Start Training");
      await workbench.rows.filter({ hasText: "tinker-config-step-" }).first().waitFor();
      await picture("offered");
      await page.keyboard.press("Escape");
    });
  },
};
