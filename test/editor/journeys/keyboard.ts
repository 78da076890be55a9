/** The full workflow without a mouse: the demo, a configuration with completion, a training, pause, stop, and a resume. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Keyboard } from "../../workbench/keyboard.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
import { runIn, stepsOf, stepsTo } from "../runFiles.ts";

const STEPS = 24;

export const keyboard: Journey = {
  name: "keyboard",
  async run(stage) {
    const { page, workbench, step } = stage;
    const keys = new Keyboard(workbench);
    await countPointers(page);

    await step("Tab reaches the demo in the welcome text", async () => {
      await keys.command("Tinker RL: Focus on Runs View");
      const link = workbench.view("Runs").getByRole("button", { name: "Start Local Demo" });
      await link.waitFor();
      await keys.tabTo(link);
      await keys.press("Enter");
      await until("a step of the demo", () => stepsOf(runIn(stage.folder)).length > 0, 120_000);
      await keys.command("Tinker RL: Stop and Save");
      await workbench.row(/^run tinker-config, stopped/).waitFor({ timeout: 60_000 });
    });

    await edit(stage, keys);
    await train(stage, keys);

    await step("no pointer was used", async () => {
      assert.equal(await page.evaluate(() => document.body.dataset["pointers"] ?? "0"), "0");
    });
  },
};

async function edit({ page, workbench, folder, step, picture }: Stage, keys: Keyboard) {
  const name = "own.tinker.yaml";

  await step("an error is found with F8 and fixed with Ctrl+.", async () => {
    const text = localConfig({ max_steps: STEPS, batch_size: 6 }).replace("lora_rank", "lora_rnk");
    writeFiles(folder, { [name]: text });
    await openFile(page, keys, name);
    await page.locator(".squiggly-error").first().waitFor();
    await keys.command("Go to Next Problem (Error, Warning, Info)");
    await page.locator(".zone-widget.marker-widget, .peekview-widget").first().waitFor();
    await picture("problem");
    await keys.press("Control+.");
    const fix = page.locator(".action-widget .monaco-list-row.focused");
    await fix.filter({ hasText: "Change to 'lora_rank'" }).waitFor();
    await keys.press("Enter");
    await page.locator(".squiggly-error").first().waitFor({ state: "hidden" });
    await keys.press("Escape", "Control+S");
    await until("the file", () => /^lora_rank: 8$/m.test(readFileSync(join(folder, name), "utf8")));
  });

  await step("Ctrl+Space offers values, and the arrows select one", async () => {
    await keys.press("Control+End");
    await keys.type("\nloss_fn: ");
    await keys.press("Control+Space");
    await workbench.suggestion("importance_sampling").waitFor();
    const focused = page.locator(".suggest-widget.visible .monaco-list-row.focused");
    for (let left = 12; left > 0; left -= 1) {
      if (((await focused.textContent()) ?? "").startsWith("ppo")) break;
      await keys.press("ArrowDown");
    }
    await keys.press("Enter");
    await page.locator(".view-line", { hasText: "loss_fn: ppo" }).first().waitFor();
    await picture("completion");
    // The run should be ordinary.
    for (let left = 3; left > 0; left -= 1) await keys.press("Control+Z");
    await keys.command("File: Revert File");
  });
}

async function train({ page, workbench, folder, step, picture }: Stage, keys: Keyboard) {
  const run = runIn(folder, "own.tinker");
  const panel = workbench.panel();

  await step("Ctrl+Alt+Enter trains with the configuration of the active editor", async () => {
    await keys.press("Control+Alt+Enter");
    await workbench.row(/^run own\.tinker, running/).waitFor({ timeout: 60_000 });
  });

  await step("the dashboard's toolbar pauses and continues the run", async () => {
    await keys.command("Tinker RL: Open Dashboard");
    await keys.pick("own.tinker");
    await panel.getByText(`of ${STEPS}`).first().waitFor();
    const frame = await workbench.panelFrame();
    await until("the panel's focus", () => frame.evaluate(() => document.hasFocus()));
    const pause = panel.getByRole("button", { name: "Pause" });
    await keys.tabTo(pause);
    await keys.press("Enter");
    await workbench.row(/^run own\.tinker, paus/).waitFor({ timeout: 60_000 });
    await picture("paused");
    await keys.tabTo(panel.getByRole("button", { name: "Continue" }));
    await keys.press("Enter");
    await workbench.row(/^run own\.tinker, running/).waitFor({ timeout: 60_000 });
  });

  await step("the dashboard's keys switch the views", async () => {
    await keys.press("2");
    await panel.getByRole("grid").waitFor();
    await keys.press("5");
    await panel.locator(".timeline-row").first().waitFor();
    await keys.press("1");
    await panel.locator("figure.reward").waitFor();
  });

  await step("the menu of the run's row stops it", async () => {
    await keys.view("Runs");
    await keys.row(/^run own\.tinker/);
    await menu(page, keys, "Stop and Save");
    await workbench.row(/^run own\.tinker, stopped/).waitFor({ timeout: 60_000 });
  });

  await step("the same menu resumes it", async () => {
    const before = stepsOf(run).length;
    await keys.view("Runs");
    await keys.row(/^run own\.tinker/);
    await menu(page, keys, "Resume Run");
    await workbench.row(/^run own\.tinker, running/).waitFor({ timeout: 60_000 });
    await until("another step", () => stepsOf(run).length > before, 60_000);
    await menu(page, keys, "Stop and Save");
    await workbench.row(/^run own\.tinker, stopped/).waitFor({ timeout: 60_000 });
    assert.deepEqual(stepsOf(run), stepsTo(stepsOf(run).length));
  });
}

async function openFile(page: Page, keys: Keyboard, name: string): Promise<void> {
  await keys.press("Control+P");
  await page.locator(".quick-input-widget input:focus").waitFor();
  await keys.type(name);
  await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }).waitFor();
  await keys.press("Enter");
  await page.locator(".tabs-container .tab.active", { hasText: name }).waitFor();
  await page
    .locator(".editor-instance .native-edit-context:focus, .editor-instance textarea:focus")
    .first()
    .waitFor({ state: "attached" });
}

/** Picks from the context menu of the focused row. */
async function menu(page: Page, keys: Keyboard, title: string): Promise<void> {
  await keys.press("Shift+F10");
  const items = page.locator(".monaco-menu .action-item");
  await items.first().waitFor();
  const focused = page.locator(".monaco-menu .action-item.focused");
  for (let left = 30; left > 0; left -= 1) {
    await keys.press("ArrowDown");
    if (((await focused.textContent()) ?? "").startsWith(title)) break;
  }
  await keys.press("Enter");
  await items.first().waitFor({ state: "hidden" });
}

async function countPointers(page: Page): Promise<void> {
  await page.evaluate(() => {
    const count = (): void => {
      const { dataset } = document.body;
      dataset["pointers"] = String(Number(dataset["pointers"] ?? 0) + 1);
    };
    document.addEventListener("pointerdown", count, true);
  });
}
