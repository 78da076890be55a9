/** A run at temperature 0 whose rollouts are copies: the alarm is shown everywhere, and one click fixes the setting and the run. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { appears } from "../../workbench/workbench.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { firingIn, runIn, stepsOf } from "../runFiles.ts";

/** A plausible mistake of a user who wants the model's best answers. */
function greedyConfig(): string {
  const text = localConfig({
    max_steps: 4000,
    batch_size: 4,
    learning_rate: 0,
    max_consecutive_empty_steps: 4000,
  });
  return text.replace(
    /^( +)num_rollouts:.*$/m,
    (line, indent) => `${line}\n${indent}temperature: 0`,
  );
}

const FIX = "Set temperature to 1";

export const alarms: Journey = {
  name: "alarms",
  prepare: (folder) => writeFiles(folder, { "tinker-config.yaml": greedyConfig() }),
  async run({ workbench, folder, step, pictures, picture }) {
    const run = runIn(folder);
    const panel = workbench.panel();
    const strip = panel.locator(".alarms");

    await step("a notification reports the first critical alarm of a run", async () => {
      await workbench.show("Tinker RL");
      await workbench.command("Tinker RL: Start Training");
      await workbench.notification("are copies of another rollout").waitFor({ timeout: 60_000 });
      await workbench.page.locator(".statusbar-item.has-background-color").first().waitFor();
    });

    await step("the dashboard shows it in one line, with a remedy", async () => {
      await strip.getByText("are copies of another rollout").waitFor();
      await strip.getByRole("button", { name: FIX }).waitFor();
      await until("both alarms", () => firingIn(run).length === 2, 60_000);
      await strip.getByRole("button", { name: "Show all (2)" }).waitFor();
      await panel.locator("canvas").first().waitFor();
      await pictures("strip");
    });

    await step("Problems lists them at the setting", async () => {
      await workbench.command("Problems: Focus on Problems View");
      await workbench.problems().getByText("are copies of another rollout").first().waitFor();
      await pictures("problems");
    });

    await step(
      "a quick fix there does the same as the button, and another shows the cause of the alarm",
      async () => {
        await workbench.problems().getByText("are copies of another rollout").first().dblclick();
        await workbench.tab("tinker-config.yaml").waitFor();
        const fixes = workbench.page.locator(".action-widget .monaco-list-row");
        const fix = fixes.filter({ hasText: FIX }).first();
        const open = async (): Promise<boolean> => {
          await workbench.page.keyboard.press("Control+.");
          // Another press would close the list that is still loading.
          return await appears(fix, 20_000);
        };
        await until("the fix", open, 60_000);
        await picture("fix");
        await fixes.filter({ hasText: "Show what triggered the alarm" }).first().click();
        await panel.locator(".evidence canvas").waitFor();
      },
    );

    await step("the button changes the configuration, and the diagnostics disappear", async () => {
      await strip.getByRole("button", { name: FIX }).first().click();
      await workbench.tab("tinker-config.yaml").waitFor();
      await workbench.page
        .locator(".view-line", { hasText: /temperature:\s1/ })
        .first()
        .waitFor();
      await workbench
        .problems()
        .getByText("are copies of another rollout")
        .first()
        .waitFor({ state: "hidden" });
      assert.match(readFileSync(join(folder, "tinker-config.yaml"), "utf8"), /temperature: 0/);
      await picture("changed");
    });

    await step("the change can be applied to the run, too, and the alarm ends", async () => {
      await workbench.page.getByRole("button", { name: "Change This Run" }).click();
      await until("an end of the alarm", () => firingIn(run).length === 0, 60_000);
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.locator("canvas").first().waitFor();
      await strip.waitFor({ state: "hidden" });
      await picture("over");
    });

    await step("Stop and Save ends it", async () => {
      await workbench.command("Tinker RL: Stop and Save");
      await workbench.row(/^run tinker-config, stopped/).waitFor({ timeout: 60_000 });
      assert.ok(stepsOf(run).length > 5);
    });
  },
};
