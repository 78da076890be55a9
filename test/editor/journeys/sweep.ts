/** A sweep from the command: keys, values and a question that shows the runs; a stop of one run, a stop of the sweep, and its continuation. */

import assert from "node:assert/strict";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import type { Journey, Stage } from "../journey.ts";
import { runIn, stepsOf } from "../runFiles.ts";

const STEPS = 12;
const NAMES = ["2e-3.seed_1", "2e-3.seed_2", "8e-3.seed_1", "8e-3.seed_2"];

export const sweep: Journey = {
  name: "sweep",
  prepare: (folder) =>
    writeFiles(folder, {
      "tinker-config.yaml": localConfig({ max_steps: STEPS, batch_size: 4, save_every: 1 }),
    }),
  async run(stage) {
    const { workbench, page, folder, step, picture, pictures } = stage;
    const run = (name: string) => runIn(folder, `tinker-config-sweep.learning_rate_${name}`);
    const row = (name: string, phase: string) =>
      workbench.row(`run tinker-config-sweep.learning_rate_${name}, ${phase}`);
    const sweepRow = (done: string) => workbench.row(`sweep tinker-config-sweep, ${done}`);

    await workbench.show("Tinker RL");
    await step(
      "a wrong value is refused by its key and value; Escape leads back, and out",
      async () => {
        await startSweep(stage);
        await workbench.pick("learning_rate");
        await workbench.input.fill("2e-3,fast");
        await page.getByText("learning_rate=fast: error").first().waitFor();
        await picture("wrongValue");
        await page.keyboard.press("Escape");
        await workbench.rows.filter({ hasText: "learning_rate" }).first().waitFor();
        await page.keyboard.press("Escape");
        await workbench.input.waitFor({ state: "hidden" });
      },
    );
    await step("two keys with two values each make four runs", async () => {
      await pictures("grid", () => chooseGrid(stage));
      await workbench.pick("Continue with 4 runs");
    });
    await step("the question shows all four runs, and starts them one after another", async () => {
      await workbench.answer("1");
      const question = workbench.dialog();
      await question.getByText("Start 4 runs, one after another?").waitFor();
      await question.getByText("learning_rate=8e-3 seed=2").waitFor();
      await picture("question");
      await question.getByRole("button", { name: "Start Sweep" }).click();
    });
    await step("the runs stand below their sweep, and one at a time goes on", async () => {
      await sweepRow("0 of 1 run done").waitFor({ timeout: 60_000 });
      await row("2e-3.seed_1", "done").waitFor({ timeout: 120_000 });
      await row("2e-3.seed_2", "running").waitFor({ timeout: 60_000 });
      await sweepRow("1 of 2 runs done").waitFor();
    });
    await step("Stop and Save of the third run leads to the fourth", async () => {
      await row("8e-3.seed_1", "running").waitFor({ timeout: 180_000 });
      await workbench.command("Tinker RL: Stop and Save");
      await row("8e-3.seed_1", "stopped").waitFor({ timeout: 60_000 });
      await row("8e-3.seed_2", "running").waitFor({ timeout: 60_000 });
    });
    await step("Pause and Continue work as for any run", async () => {
      await workbench.command("Tinker RL: Pause After This Step");
      await row("8e-3.seed_2", "paused").waitFor({ timeout: 60_000 });
      await workbench.command("Terminal: Focus Terminal");
      await workbench.terminal().getByText("paused before step").first().waitFor();
      await pictures("paused");
      await workbench.command("Tinker RL: Continue Run");
      await row("8e-3.seed_2", "done").waitFor({ timeout: 180_000 });
    });
    await step("the terminal of the sweep says what came of each run", async () => {
      await workbench.terminal().getByText("learning_rate=8e-3 seed=1 stopped").first().waitFor();
      await picture("terminal");
    });
    await step("Start Sweep… continues it: only the stopped run goes on", async () => {
      await pictures("continue", async () => {
        await workbench.command("Tinker RL: Start Sweep…");
        await workbench.rows.filter({ hasText: "Continue tinker-config-sweep" }).waitFor();
      });
      await workbench.pick("Continue tinker-config-sweep");
      const question = workbench.dialog();
      await question.getByText("Start 1 run?").waitFor();
      await question.getByRole("button", { name: "Start Sweep" }).click();
      await sweepRow("4 of 4 runs done").waitFor({ timeout: 180_000 });
      for (const name of NAMES) assert.equal(stepsOf(run(name)).length, STEPS, name);
      await pictures("done");
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
