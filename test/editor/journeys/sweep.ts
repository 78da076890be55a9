/**
 * A sweep from the command: keys, values and a prompt that lists the runs; the dashboard stays with the displayed run, also after a
 * reload, and reports when its folder no longer exists; one run is stopped, then the sweep, the sweep is continued, and the table shows its runs.
 */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import type { Journey, Stage } from "../journey.ts";
import { runIn, stepsOf } from "../runFiles.ts";

const STEPS = 8;
const NAMES = ["2e-3.seed_1", "2e-3.seed_2", "8e-3.seed_1", "8e-3.seed_2"];

export const sweep: Journey = {
  name: "sweep",
  prepare: (folder) =>
    writeFiles(folder, {
      "tinker-config.yaml": localConfig({ max_steps: STEPS, batch_size: 4, save_every: 1 }),
    }),
  async run(stage) {
    const { workbench, page, folder, step, picture, pictures, accessible } = stage;
    const run = (name: string) => runIn(folder, `tinker-config-sweep.learning_rate_${name}`);
    const row = (name: string, phase: string) => workbench.row(`run ${name}, ${phase}`);
    const panel = workbench.panel();
    const shown = panel.locator(".run-picker option:checked");
    const sweepRow = (done: string) => workbench.row(`sweep tinker-config-sweep, ${done}`);
    const onSweepRow = async (command: string): Promise<void> => {
      const ofSweep = sweepRow("");
      await ofSweep.hover();
      await ofSweep.getByRole("button", { name: command }).click();
    };

    await workbench.show("Tinker RL");
    await step("an invalid value is rejected; Escape goes back, and then closes", async () => {
      await startSweep(stage);
      await workbench.pick("learning_rate");
      await workbench.input.fill("2e-3,fast");
      await page.getByText('got the text "fast"').first().waitFor();
      await picture("wrongValue");
      await page.keyboard.press("Escape");
      await workbench.rows.filter({ hasText: "learning_rate" }).first().waitFor();
      await page.keyboard.press("Escape");
      await workbench.input.waitFor({ state: "hidden" });
    });
    await step("four settings or more may stop early; Escape starts nothing", async () => {
      await startSweep(stage);
      await workbench.pick("learning_rate");
      await workbench.answer("1e-3,2e-3,4e-3,8e-3");
      await workbench.pick("Continue with 4 Runs");
      await workbench.rows.filter({ hasText: "Stop the Worse Half Early" }).waitFor();
      await picture("halving");
      await page.keyboard.press("Escape");
      await workbench.input.waitFor({ state: "hidden" });
    });
    await step("two keys with two values each make four runs", async () => {
      await pictures("grid", () => chooseGrid(stage));
      await workbench.pick("Continue with 4 Runs");
    });
    await step("the prompt lists all four runs, and starts them in sequence", async () => {
      await workbench.answer("1");
      const question = workbench.dialog();
      await question.getByText("Start 4 runs, one after another?").waitFor();
      await question.getByText("lr 8e-3 · seed 2").waitFor();
      await picture("question");
      await question.getByRole("button", { name: "Estimate Cost" }).click();
    });
    await step("an estimate covers all runs, and is followed by the start", async () => {
      const offer = workbench.notification("Start the sweep with 4 runs?");
      await offer.waitFor({ timeout: 60_000 });
      await picture("estimate");
      await workbench.command("Terminal: Kill the Active Terminal Instance");
      await offer.getByRole("button", { name: "Start Sweep" }).click();
    });
    await step("the runs are listed below their sweep, one in progress at a time", async () => {
      await sweepRow("0 of 4 runs done").waitFor({ timeout: 60_000 });
      await panel.locator(".run-name", { hasText: "lr 2e-3 · seed 1" }).waitFor();
      await row("lr 2e-3 · seed 1", "done").waitFor({ timeout: 120_000 });
      await row("lr 2e-3 · seed 2", "running").waitFor({ timeout: 60_000 });
      await sweepRow("1 of 4 runs done").waitFor();
    });
    await step("the dashboard stays with the displayed run, and offers the next", async () => {
      const offer = panel.getByRole("button", { name: "Started: lr 2e-3 · seed 2" });
      await offer.waitFor();
      assert.match((await shown.textContent()) ?? "", /^lr 2e-3 · seed 1/);
      await offer.click();
      await shown.filter({ hasText: "lr 2e-3 · seed 2" }).waitFor({ state: "attached" });
      await offer.waitFor({ state: "hidden" });
    });
    await step("Stop and Save of the third run starts the fourth", async () => {
      await row("lr 8e-3 · seed 1", "running").waitFor({ timeout: 180_000 });
      await workbench.command("Tinker RL: Stop and Save");
      await row("lr 8e-3 · seed 1", "stopped").waitFor({ timeout: 60_000 });
      await row("lr 8e-3 · seed 2", "running").waitFor({ timeout: 60_000 });
    });
    await step("Pause works as for any run", async () => {
      await workbench.command("Tinker RL: Pause After This Step");
      await row("lr 8e-3 · seed 2", "paused").waitFor({ timeout: 60_000 });
      await shown.filter({ hasText: "lr 2e-3 · seed 2" }).waitFor({ state: "attached" });
      await panel.getByRole("button", { name: "Started: lr 8e-3 · seed 2" }).waitFor();
      await accessible("offer");
      await workbench.command("Terminal: Focus Terminal");
      await workbench.terminal().getByText("paused before step").first().waitFor();
      await pictures("paused");
    });
    await step("Stop Sweep on its row stops the run, also a paused one", async () => {
      await onSweepRow("Stop Sweep");
      await row("lr 8e-3 · seed 2", "stopped").waitFor({ timeout: 60_000 });
    });
    await step("the terminal of the sweep shows the result of each run", async () => {
      await workbench.terminal().getByText("lr 8e-3 · seed 1  stopped").first().waitFor();
      await picture("terminal");
    });
    await step("Start Sweep… offers to continue it", async () => {
      await pictures("continue", async () => {
        await workbench.command("Tinker RL: Start Sweep…");
        await workbench.rows.filter({ hasText: "Continue tinker-config-sweep" }).waitFor();
      });
      await page.keyboard.press("Escape");
      await workbench.input.waitFor({ state: "hidden" });
    });
    await step("Continue Sweep… on its row resumes only the stopped runs", async () => {
      await onSweepRow("Continue Sweep…");
      await workbench.answer("1");
      const question = workbench.dialog();
      await question.getByText("Start 2 runs, one after another?").waitFor();
      await question.getByRole("button", { name: "Start Sweep" }).click();
      await sweepRow("4 of 4 runs done").waitFor({ timeout: 180_000 });
      for (const name of NAMES) assert.equal(stepsOf(run(name)).length, STEPS, name);
      await pictures("done");
    });
    await step(
      "two clicks from the Runs view show which setting of the sweep mattered",
      async () => {
        await onSweepRow("Show Sweep");
        await panel
          .getByText(/^(learning_rate|All runs|Unknown)/)
          .first()
          .waitFor();
        assert.equal(await panel.locator(".sweep-table tbody tr").count(), 4);
        await accessible("effects");
        await pictures("effects");
        await panel.getByRole("button", { name: "lr 2e-3 · seed 2" }).click();
        await shown.filter({ hasText: "lr 2e-3 · seed 2" }).waitFor({ state: "attached" });
      },
    );
    await step("a reload restores the dashboard at its run, with another view open", async () => {
      await workbench.show("Explorer");
      await shown.filter({ hasText: "lr 2e-3 · seed 2" }).waitFor({ state: "attached" });
      await workbench.reload();
      await shown.filter({ hasText: "lr 2e-3 · seed 2" }).waitFor({ state: "attached" });
    });
    await step("a deleted run folder is reported, and another run is offered", async () => {
      await workbench.show("Tinker RL");
      rmSync(run("2e-3.seed_2"), { recursive: true });
      await panel
        .getByRole("heading", { name: /^The folder of this run no longer exists: .*seed_2$/ })
        .waitFor();
      await accessible("gone");
      await panel.getByLabel("Show another run").selectOption({ label: "lr 8e-3 · seed 1 (done)" });
      await panel.getByText(`step ${STEPS} of ${STEPS}`).waitFor();
    });
    await step("the table names the runs by their differences, in every part", async () => {
      await workbench.command("Tinker RL: Open Runs Table");
      // As it was left.
      await panel.getByRole("button", { name: "Show all runs" }).click();
      const names = panel.locator('.grid-row [data-column="name"]');
      await names.filter({ hasText: "lr 8e-3 · seed 2" }).waitFor();
      // The row of the deleted run remains until the table is refreshed.
      await names.filter({ hasText: "lr 2e-3 · seed 2" }).waitFor({ state: "hidden" });
      for (const name of await names.allTextContents()) {
        assert.match(name, /^lr \de-3 · seed \d$/);
        await panel.getByRole("checkbox", { name: `Compare ${name}` }).check();
      }
      const heads = await panel.getByRole("columnheader").allTextContents();
      assert.deepEqual(heads.slice(1, 9), [
        ...["Run", "★", "State", "Reward", "Best of 5"],
        ...["Part of", "learning_rate", "seed"],
      ]);
      await panel.getByLabel("Compared runs").getByText("lr 2e-3").first().waitFor();
      await accessible("table");
      await panel.getByRole("tab", { name: "Configuration" }).click();
      await panel.locator(".config-table").getByText("lr 8e-3").first().waitFor();
      await accessible("configuration");
    });
  },
};

async function startSweep({ workbench }: Stage): Promise<void> {
  await workbench.command("Tinker RL: Start Sweep…");
  await workbench.rows.filter({ hasText: "learning_rate" }).first().waitFor();
}

/** Two keys with two values each, up to the list that offers to continue. */
async function chooseGrid(stage: Stage): Promise<void> {
  const { workbench } = stage;
  await startSweep(stage);
  await workbench.pick("learning_rate");
  await workbench.answer("2e-3,8e-3");
  await workbench.rows.filter({ hasText: "Continue with 2 runs" }).waitFor();
  await workbench.pick("seed");
  await workbench.answer("1,2");
  await workbench.rows.filter({ hasText: "Continue with 4 runs" }).waitFor();
}
