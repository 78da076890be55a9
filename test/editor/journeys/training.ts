/** A training from the palette: a task that runs, steps that are told everywhere, stop, and a resume that goes on exactly. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";

export const training: Journey = {
  name: "training",
  prepare: (folder) => writeFiles(folder, { "tinker-config.yaml": localConfig({ max_steps: 30 }) }),
  async run({ workbench, folder, step, pictures, picture }) {
    const run = join(folder, ".tinker-rl", "runs", "tinker-config");
    const steps = (): readonly number[] => stepsIn(run);

    await step("Start Training begins at once: one configuration needs no question", async () => {
      await workbench.show("Tinker RL");
      await workbench.command("Tinker RL: Start Training");
      await workbench.row(/^run tinker-config, running/).waitFor({ timeout: 60_000 });
      await until("three steps", () => steps().length >= 3, 60_000);
    });

    await step("the run is a task, in the status bar, and in the views", async () => {
      // With a single task that runs, VS Code shows its terminal at once.
      await workbench.command("Tasks: Show Running Tasks");
      await workbench.terminal().getByText("reward").first().waitFor();
      await workbench.statusItem("Tinker RL").waitFor();
      await workbench.row(/^Step 2, mean/).waitFor();
      await pictures("running");
    });

    await step("the dashboard draws the rewards as they come", async () => {
      await workbench.panel().getByRole("tab", { name: "Overview" }).waitFor();
      await workbench.panel().locator("canvas").first().waitFor();
      await pictures("dashboard");
    });

    await step("a step unfolds into groups, and a group into rollouts", async () => {
      await workbench.row(/^Step 2, mean/).click();
      await workbench.page.keyboard.press("ArrowRight");
      const group = workbench.row(/^calculator train \d+, .*8 rollouts/).first();
      await group.click();
      await workbench.page.keyboard.press("ArrowRight");
      await workbench.row(/^rollout 1, /).waitFor();
      await picture("trajectories");
    });

    await step("Stop and Save ends it, and the row says so", async () => {
      await workbench.command("Tinker RL: Stop and Save");
      await workbench
        .row(/^run tinker-config, stopped.*can be resumed/)
        .waitFor({ timeout: 30_000 });
      await picture("stopped");
    });

    await step("Resume Run goes on with the next step", async () => {
      const before = steps().length;
      await workbench.command("Tinker RL: Resume Run");
      await until("another step", () => steps().length > before, 60_000);
      await workbench.row(/^run tinker-config, done, step 30 of 30/).waitFor({ timeout: 120_000 });
      assert.deepEqual(
        steps(),
        Array.from({ length: 30 }, (_, index) => index),
      );
      await picture("done");
    });
  },
};

function stepsIn(run: string): readonly number[] {
  try {
    const lines = readFileSync(join(run, "metrics.jsonl"), "utf8").trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { step: number }).step); // the product's own file
  } catch {
    return [];
  }
}
