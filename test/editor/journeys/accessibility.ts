/** Every tab of the dashboard in every theme: axe-core finds nothing, and what is cut off can be read in a tooltip. */

import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { accessibilityFaults } from "../../workbench/accessibility.ts";
import { cutTexts } from "../../workbench/cutTexts.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, PICTURE_THEMES } from "../journey.ts";
import { trainInTerminal } from "../trainInTerminal.ts";

/** Fills a tab and waits until it is drawn: what is not there yet has no faults. Every tab of the page has a row. */
const TABS: Readonly<Record<string, (panel: FrameLocator) => Promise<void>>> = {
  overview: (panel) => panel.locator("canvas").first().waitFor(),
  trajectories: async (panel) => {
    // One with an advantage: only what was trained on has tokens.
    const trained = panel.locator(".grid-row").filter({ hasText: /[+-]\d\.\d\d/ });
    await trained.first().click();
    await panel.getByRole("article").getByRole("button", { name: "Tokens", exact: true }).click();
    await panel.locator(".tokens").waitFor();
  },
  checkpoints: (panel) => panel.getByText("final_000003").first().waitFor(),
  config: (panel) => panel.locator(".config-table").waitFor(),
  timeline: (panel) => panel.locator(".timeline-row").first().waitFor(),
  search: async (panel) => {
    await panel.getByRole("searchbox", { name: "Search in rollouts" }).fill("answer");
    await panel.locator(".snippet").first().waitFor();
  },
  changes: async (panel) => {
    await panel.locator(".behavior-chart").first().waitFor();
    await panel.locator(".endings li").first().waitFor();
  },
};

export const accessibility: Journey = {
  name: "accessibility",
  async prepare(folder) {
    writeFiles(folder, { "tinker-config.yaml": localConfig({ max_steps: 3 }) });
    await trainInTerminal(folder);
  },
  async run({ workbench, step, picture }) {
    const panel = workbench.panel();

    await step("the dashboard opens on a run that ended before", async () => {
      await workbench.show("Tinker RL");
      await workbench.row(/^run tinker-config, done/).waitFor();
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.getByRole("tab", { name: "Overview" }).waitFor();
    });

    for (const theme of PICTURE_THEMES) {
      await step(`nothing to find in ${theme}`, async () => {
        await workbench.theme(theme);
        const ids = await panel.getByRole("tab").evaluateAll((tabs) => tabs.map(({ id }) => id));
        const tabs = ids.map((id) => id.replace("tab-", ""));
        assert.deepEqual(tabs.toSorted(), Object.keys(TABS).toSorted());
        for (const [tab, fill] of Object.entries(TABS)) {
          await panel.locator(`#tab-${tab}`).click();
          await panel.locator(`#view[aria-labelledby="tab-${tab}"]`).waitFor();
          await fill(panel);
          await picture(`${tab}-${theme}`);
          const frame = await workbench.panelFrame();
          const faults = await accessibilityFaults(frame);
          assert.deepEqual(faults, [], `${tab} in ${theme}`);
          assert.deepEqual(await cutTexts(frame), [], `${tab} in ${theme}`);
        }
      });
    }
  },
};
