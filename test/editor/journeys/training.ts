/** A training from the palette: a running task, steps shown everywhere, pause, stop, and a resume that continues exactly. */

import assert from "node:assert/strict";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { runIn, stepsOf, stepsTo } from "../runFiles.ts";

const STEPS = 14;

export const training: Journey = {
  name: "training",
  prepare: (folder) =>
    writeFiles(folder, { "tinker-config.yaml": localConfig({ max_steps: STEPS, batch_size: 8 }) }),
  async run({ workbench, folder, step, pictures, picture }) {
    const run = runIn(folder);
    const steps = (): readonly number[] => stepsOf(run);

    await step("Start Training needs no prompt for a single configuration", async () => {
      await workbench.show("Tinker RL");
      await workbench.unfold("Trajectories");
      await workbench.unfold("Checkpoints");
      await workbench.command("Tinker RL: Start Training");
      await workbench.row(/^run tinker-config, running/).waitFor({ timeout: 60_000 });
      await until("two steps", () => steps().length >= 2, 60_000);
    });

    await step("Pause After This Step pauses it, and all views show that", async () => {
      await workbench.command("Tinker RL: Pause After This Step");
      await workbench.row(/^run tinker-config, paused/).waitFor({ timeout: 60_000 });
      await workbench.statusItem("Tinker RL paused").waitFor();
      await workbench.panel().getByRole("button", { name: "Continue" }).waitFor();
    });

    await step("the run is a task, which Show Running Tasks finds", async () => {
      // With a single running task, VS Code shows its terminal immediately.
      const shown = workbench.terminal().getByText("reward").first();
      await workbench.command("Tasks: Show Running Tasks", shown);
      await workbench.page.getByRole("button", { name: "1 Running Tasks" }).waitFor();
      await pictures("paused");
    });

    await step("a narrow dashboard has its actions in the editor's title bar", async () => {
      const { page } = workbench;
      await page.setViewportSize({ width: 1000, height: 700 });
      const title = page.locator(".editor-actions");
      for (const name of ["Continue Run", "Save Checkpoint Now", "Stop and Save"]) {
        await title.getByRole("button", { name }).waitFor();
      }
      const inPage = workbench.panel().getByRole("button", { name: "Continue" });
      await inPage.waitFor({ state: "hidden" });
      await picture("narrow");
      await title.getByRole("button", { name: "Continue Run" }).click();
      await title.getByRole("button", { name: "Pause After This Step" }).click();
      await workbench.row(/^run tinker-config, paused/).waitFor({ timeout: 60_000 });
      await page.setViewportSize({ width: 1400, height: 900 });
      await inPage.waitFor();
      await title.getByRole("button", { name: "Continue Run" }).waitFor({ state: "hidden" });
    });

    await step("Change Settings shows and explains each setting", async () => {
      await pictures("changeSettings", async () => {
        const setting = workbench.rows.filter({ hasText: "learning_rate" }).first();
        await workbench.command("Tinker RL: Change Settings of Running Run…", setting);
      });
      await workbench.page.keyboard.press("Escape");
      await workbench.input.waitFor({ state: "hidden" });
    });

    await step("the dashboard and the views show the same steps", async () => {
      const done = steps().length;
      await workbench.panel().getByText(`step ${done} of ${STEPS}`).waitFor();
      await workbench.panel().locator("canvas").first().waitFor();
      await workbench.row(new RegExp(`^Step ${done}, mean`)).waitFor();
    });

    await step("a step expands into groups, and a group into rollouts", async () => {
      await workbench.expand(workbench.row(/^Step 2, mean/));
      await workbench.expand(workbench.row(/^calculator train \d+, .*8 rollouts/).first());
      await workbench.row(/^rollout 1, /).waitFor();
      await picture("trajectories");
    });

    await step(
      "Continue continues the run, and Stop and Save ends it without a failure",
      async () => {
        await workbench.command("Tinker RL: Continue Run");
        await workbench.row(/^run tinker-config, running/).waitFor();
        await workbench.command("Tinker RL: Stop and Save");
        const stopped = /^run tinker-config, stopped.*can be resumed, repeats no steps/;
        await workbench.row(stopped).waitFor({ timeout: 60_000 });
        await workbench.terminal().getByText("stopped and saved after").waitFor();
        await workbench.terminal().getByText("Terminal will be reused by tasks").waitFor();
        assert.doesNotMatch(await workbench.terminalText(), /exit code/);
        await workbench.panel().getByRole("button", { name: "Resume" }).waitFor();
        await pictures("stopped");
      },
    );

    await step("Resume Run continues with the next step, to a successful end", async () => {
      const before = steps().length;
      await workbench.command("Tinker RL: Resume Run");
      await until("another step", () => steps().length > before, 60_000);
      const done = new RegExp(`^run tinker-config, done, step ${STEPS} of ${STEPS}`);
      await workbench.row(done).waitFor({ timeout: 180_000 });
      assert.deepEqual(steps(), stepsTo(STEPS));
    });

    await step("the views show that it is done", async () => {
      await workbench.row(new RegExp(`^Step ${STEPS}, mean`)).waitFor();
      await workbench.row(new RegExp(`^checkpoint .* after step ${STEPS}, .*final`)).waitFor();
      await workbench.statusItem(`Tinker RL done ${STEPS}/${STEPS}`).waitFor();
      assert.equal(await workbench.row(/in progress/).count(), 0);
      assert.equal(await workbench.panel().getByRole("button", { name: "Resume" }).count(), 0);
    });

    await step("the terminal ended without showing an exit code", async () => {
      await workbench.showTerminal("resume tinker-config");
      const text = await workbench.terminalText();
      assert.match(text, /Terminal will be reused by tasks/);
      assert.doesNotMatch(text, /exit code/);
    });

    await step("the chart has one line over all steps, and a mark at the resume", async () => {
      // An entry of the picker, which is not drawn, when the stop interrupted a step.
      await workbench.panel().getByText("Attempt 2").first().waitFor({ state: "attached" });
      await workbench.panel().getByText("resume", { exact: true }).waitFor();
      await pictures("done");
      await workbench.panel().getByRole("button", { name: "View as table" }).click();
      const firstCells = workbench.panel().locator("figure.reward tbody tr > :first-child");
      await firstCells.first().waitFor();
      const shown = (await firstCells.allInnerTexts()).map(Number);
      assert.deepEqual(
        shown.toSorted((a, b) => a - b),
        stepsTo(STEPS).map((each) => each + 1),
      );
    });
  },
};
