/** The extension in other places: behind other editors, in folders of another program, in files of the editor itself. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { writePythonRun } from "../../fakes/pythonRun.ts";
import { complete } from "../configEditor.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { addMeasuredSteps, writeMeasuredRun } from "../measuredRun.ts";
import { chooseInMenu } from "../rowMenu.ts";
import { runIn } from "../runFiles.ts";

const CONFIG = localConfig({ max_steps: 300 });
const TASKS = `{
  "version": "2.0.0",
  "tasks": [
    {
      "type": "tinker-rl",
      "config": "tinker-config.yaml",
      "overrides": {

      }
    }
  ]
}
`;
const SETTINGS = `{
  "tinkerRL.overrides": {

  }
}
`;
const PYTHON_STEPS = 30;

export const elsewhere: Journey = {
  name: "elsewhere",
  prepare(folder) {
    writeMeasuredRun(folder, "tinker-config.yaml", CONFIG);
    writeFiles(folder, { "tinker-config.yaml": CONFIG });
    writePythonRun(folder, PYTHON_STEPS);
    mkdirSync(join(folder, ".vscode"));
    writeFiles(join(folder, ".vscode"), { "tasks.json": TASKS, "settings.json": SETTINGS });
  },
  async run(stage) {
    const { workbench, page, folder, step, picture, pictures } = stage;
    const panel = workbench.panel();

    await step("tasks and settings complete the keys of a configuration", async () => {
      await workbench.show("Tinker RL");
      await workbench.row(/^run measured/).waitFor();
      await workbench.open("tasks.json");
      await complete(stage, 6, 18, "tinker-config.yaml");
      await complete(stage, 8, 1, "adam_beta1");
      await page.keyboard.type("learn");
      await workbench.suggestion("learning_rate_schedule").waitFor();
      await picture("tasks");
      await page.keyboard.press("Escape");
      await workbench.command("View: Revert and Close Editor");
      await workbench.open("settings.json");
      await complete(stage, 3, 1, "adam_beta1");
      await picture("settings");
      await page.keyboard.press("Escape");
      await workbench.command("View: Revert and Close Editor");
    });

    await step("the dashboard shows a run", async () => {
      await workbench.show("Tinker RL");
      await workbench.row(/^run measured, stopped, step 41/).waitFor();
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.locator(".reward canvas").waitFor();
      await panel.locator(".header-progress", { hasText: "41" }).waitFor();
    });

    await step("after 200 steps behind another editor it is up to date immediately", async () => {
      await workbench.open("tinker-config.yaml");
      assert.equal(await page.locator("iframe.webview.ready:visible").count(), 0);
      addMeasuredSteps(folder, 241);
      await page.locator(".tabs-container .tab", { hasText: "measured" }).click();
      await panel.locator(".steps").waitFor();
      assert.match((await panel.locator(".steps").textContent()) ?? "", /241/);
      await panel.locator(".reward canvas").waitFor();
      await picture("shown again");
    });

    await step("a folder of the Python program opens with charts", async () => {
      await workbench.command("Tinker RL: Open Run Folder…");
      // The box gets its first path late.
      await workbench.rows.filter({ hasText: "python-run" }).waitFor();
      await workbench.input.fill(`${folder}/python-run/`);
      const open = page.locator(".quick-input-widget").getByText("Open Run", { exact: true });
      // While it lists a folder the box ignores input.
      await until("the run", async () => {
        await open.click({ timeout: 1_000 }).catch(() => undefined);
        return await workbench.tab("python-run").isVisible();
      });
      await panel.locator(".steps", { hasText: String(PYTHON_STEPS) }).waitFor();
      await panel.locator(".reward canvas").waitFor();
      assert.equal(await panel.getByText("is damaged").count(), 0);
      await workbench.row(/^run python-run, no run.json/).waitFor();
      await pictures("python");
      await page.setViewportSize({ width: 1024, height: 700 });
      await panel.locator(".reward canvas").waitFor();
      await picture("python-small");
      await page.setViewportSize({ width: 1400, height: 900 });
    });

    await step("the folder is there again after a reload of the window", async () => {
      await workbench.reload();
      await panel.locator(".steps", { hasText: String(PYTHON_STEPS) }).waitFor();
    });

    await step("a run is deleted permanently if the window has no trash", async () => {
      const row = workbench.row(/^run measured/);
      const effect = workbench.dialog().getByText("Delete the run measured?");
      await chooseInMenu(stage, row, { title: "Delete Run", effect });
      await picture("delete");
      await workbench.dialog().getByRole("button", { name: "Delete Permanently" }).click();
      await row.waitFor({ state: "detached" });
      assert.equal(existsSync(runIn(folder, "measured")), false);
    });
  },
};
