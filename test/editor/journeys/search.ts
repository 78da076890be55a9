/** Finding a reward hack in two ways: by searching all runs for the model's text, and by what the model began to say. */

import assert from "node:assert/strict";
import { hostname } from "node:os";
import { join } from "node:path";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { writeHackedRollouts } from "../../core/changes/hackedRun.ts";
import { startedRun } from "../../fakes/startedRun.ts";
import { showChangesPart } from "../../workbench/dashboardPlaces.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";

const NAMES = ["first", "second"];

export const search: Journey = {
  name: "search",
  async prepare(folder) {
    writeFiles(folder, { "tinker-config.yaml": localConfig() });
    for (const name of NAMES) await writeRun(folder, name);
  },
  async run({ workbench, step, pictures }) {
    const panel = workbench.panel();
    const heading = panel.getByRole("heading", { name: /^Step \d+, group 1, rollout \d+/ });
    const foundText = async (): Promise<string> =>
      (await workbench.panelFrame()).evaluate(() =>
        [...(CSS.highlights.get("found") ?? [])].map(String).join(),
      );

    await step("all runs are searched, with the newest step of each first", async () => {
      await workbench.command("Tinker RL: Search All Runs…");
      await panel
        .getByRole("searchbox", { name: "Search in rollouts" })
        .fill('"called sys.exit(0)"');
      await panel.getByText("60 rollouts", { exact: true }).waitFor();
      const groups = await panel.locator(".hit-group h2").allInnerTexts();
      assert.equal(groups.length, 10);
      for (const name of NAMES) {
        const own = groups.filter((group) => group.startsWith(name));
        assert.deepEqual(
          own.map((group) => /Step \d+/.exec(group)?.[0]),
          [...["Step 10", "Step 9", "Step 8", "Step 7", "Step 6"]],
        );
      }
      await pictures("results");
    });

    await step("a search result opens its rollout, in another run too", async () => {
      const last = panel.locator(".hit-group").last();
      const run = ((await last.locator(".hit-run").textContent()) ?? "").trim();
      await last.locator(".snippet").first().click();
      await heading.waitFor();
      await until("the place is marked", async () => (await foundText()) === "called sys.exit(0)");
      const shown = panel.locator("header select option:checked").first();
      assert.match((await shown.textContent()) ?? "", new RegExp(`^${run}`));
      await pictures("opened");
    });

    await step(
      "Changes lists the phrase, the tool and the rollouts with equal endings",
      async () => {
        await showChangesPart(panel);
        // Each step has one group: in a quarter of the steps a change could be chance.
        await panel.getByLabel("Before: steps to").fill("5");
        await panel.getByLabel("After: steps from").fill("6");
        const phrase = panel.getByRole("button", { name: /called sys exit 0/ });
        await phrase.click();
        await panel.getByText(/^6 of 8$/).waitFor();
        await panel.getByRole("button", { name: /^Uses edit/ }).waitFor();
        await pictures("changed");
        await panel.locator(".example").first().click();
        await heading.waitFor();
        await until("the phrase is marked", async () => /sys.exit/.test(await foundText()));
      },
    );
  },
};

async function writeRun(folder: string, name: string): Promise<void> {
  const fileSystem = createFileSystem();
  const parent = join(folder, ".tinker-rl", "runs");
  const lease = await startedRun(fileSystem, parent, {
    name,
    pid: process.pid,
    host: hostname(),
    configPath: join(folder, "tinker-config.yaml"),
  });
  await writeHackedRollouts(lease.files, lease.folder);
  await lease.update({ phase: "done" });
  await fileSystem.close();
}
