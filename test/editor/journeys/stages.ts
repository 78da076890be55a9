/** Three stages of one file: started together, nested below each other, linked in the table, and the last one repeated alone. */

import assert from "node:assert/strict";
import { appears } from "../../workbench/workbench.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { GAMES } from "../games.ts";
import { type Journey, until } from "../journey.ts";

const STAGES = `
stages:
  imitate:
    method: sft
    data: [{ path: games.jsonl }]
    learning_rate: 0.002
    max_steps: 4
  gather: { method: collect, samples_per_task: 1, max_tasks: 4 }
  reinforce:
    max_steps: 2
`;

export const stages: Journey = {
  name: "stages",
  prepare: (folder) =>
    writeFiles(folder, {
      "tinker-config.yaml": `${localConfig({ batch_size: 4 })}${STAGES}`,
      "games.jsonl": GAMES.join(""),
    }),
  async run({ workbench, page, step, picture, pictures, accessible }) {
    const lens = (text: string) => page.locator(".codelens-decoration").getByText(text);
    const panel = workbench.panel();
    const row = (text: string) => workbench.row(new RegExp(text));

    await step(
      "a lens above each stage trains it alone, and another shows the contents of its data",
      async () => {
        await workbench.open("tinker-config.yaml");
        await lens("Train This Stage Alone").nth(1).waitFor();
        await lens("60 examples").waitFor();
        await pictures("lenses");
      },
    );

    await step("Start Training trains them in order, below one row", async () => {
      await workbench.command("Tinker RL: Start Training");
      await workbench.show("Tinker RL");
      await row("^run stage imitate, done").waitFor({ timeout: 60_000 });
      await row("stage gather, done").waitFor({ timeout: 60_000 });
      await row("^run stage reinforce, done").waitFor({ timeout: 120_000 });
      await row("^stages tinker-config-stages, 3 of 3 runs done").waitFor();
      await picture("done");
    });

    await step("the table shows the run that each started from, and no sweep", async () => {
      await workbench.command("View: Close All Editors");
      await workbench.command("Tinker RL: Open Runs Table");
      const from = panel.locator('.grid-row [data-column="lineage"]');
      await from.filter({ hasText: "stage imitate" }).nth(1).waitFor();
      assert.equal(await from.locator("circle").count(), 3);
      assert.equal(await panel.getByText("Show sweep").count(), 0);
      await accessible("lineage");
      await pictures("lineage");
    });

    await step("the last stage starts from the same weights when repeated alone", async () => {
      await workbench.command("View: Close All Editors");
      await workbench.open("tinker-config.yaml");
      const alone = row("^run tinker-config.reinforce");
      // Lenses move while hints are still being drawn, and then ignore clicks.
      await until("its run", async () => {
        const one = lens("Train This Stage Alone").nth(2);
        await one.click({ timeout: 3_000 }).catch(() => undefined);
        return appears(alone, 3_000);
      });
      await row("^run tinker-config.reinforce, done").waitFor({ timeout: 60_000 });
      await picture("alone");
    });
  },
};
