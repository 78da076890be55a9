/** Every tab of the dashboard in every theme: axe-core finds nothing, and cut-off text can be read in a tooltip. */

import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { accessibilityFaults } from "../../workbench/accessibility.ts";
import { cutTexts } from "../../workbench/cutTexts.ts";
import { showChangesPart, showRunPart, showSearchPart } from "../../workbench/dashboardPlaces.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, PICTURE_THEMES } from "../journey.ts";
import { trainInTerminal } from "../trainInTerminal.ts";

/** Opens a place and waits until it is drawn: missing content would have no faults. Every tab of the page has a row. */
const PLACES: readonly {
  readonly name: string;
  readonly tab: string;
  readonly show: (panel: FrameLocator) => Promise<void>;
}[] = [
  {
    name: "overview",
    tab: "Overview",
    show: async (panel) => {
      await panel.getByRole("tab", { name: "Overview" }).click();
      await panel.locator("canvas").first().waitFor();
    },
  },
  {
    name: "rollouts",
    tab: "Rollouts",
    show: async (panel) => {
      await panel.getByRole("tab", { name: "Rollouts" }).click();
      // A rollout with an advantage: only trained rollouts have tokens.
      const trained = panel.locator(".grid-row").filter({ hasText: /[+-]\d\.\d\d/ });
      await trained.first().click();
      await panel.getByRole("article").getByRole("button", { name: "Tokens", exact: true }).click();
      await panel.locator(".tokens").waitFor();
    },
  },
  {
    name: "search",
    tab: "Rollouts",
    show: async (panel) => {
      await showSearchPart(panel);
      await panel.getByRole("searchbox", { name: "Search in rollouts" }).fill("answer");
      await panel.locator(".snippet").first().waitFor();
    },
  },
  {
    name: "changes",
    tab: "Rollouts",
    show: async (panel) => {
      await showChangesPart(panel);
      await panel.locator(".behavior-chart").first().waitFor();
      await panel.locator(".endings li").first().waitFor();
    },
  },
  {
    name: "evaluations",
    tab: "Evaluations",
    show: async (panel) => {
      await panel.getByRole("tab", { name: "Evaluations" }).click();
      await panel.locator('#view[aria-labelledby="tab-evaluations"]').waitFor();
    },
  },
  {
    name: "timeline",
    tab: "Run",
    show: async (panel) => {
      await showRunPart(panel, "Timeline");
      await panel.locator(".timeline-row").first().waitFor();
    },
  },
  {
    name: "configuration",
    tab: "Run",
    show: async (panel) => {
      await showRunPart(panel, "Configuration");
      await panel.locator(".config-table").waitFor();
    },
  },
  { name: "log", tab: "Run", show: (panel) => showRunPart(panel, "Log") },
  {
    name: "checkpoints",
    tab: "Run",
    show: async (panel) => {
      await showRunPart(panel, "Checkpoints");
      await panel.getByText("final_000003").first().waitFor();
    },
  },
];

export const accessibility: Journey = {
  name: "accessibility",
  async prepare(folder) {
    writeFiles(folder, { "tinker-config.yaml": localConfig({ max_steps: 3 }) });
    await trainInTerminal(folder);
  },
  async run({ workbench, step, picture }) {
    const panel = workbench.panel();

    await step("the dashboard opens on an earlier run", async () => {
      await workbench.show("Tinker RL");
      await workbench.row(/^run tinker-config, done/).waitFor();
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.getByRole("tab", { name: "Overview" }).waitFor();
    });

    for (const theme of PICTURE_THEMES) {
      await step(`axe-core finds nothing in ${theme}`, async () => {
        await workbench.theme(theme);
        const tabs = await panel.getByRole("tab").allTextContents();
        assert.deepEqual(tabs, [...new Set(PLACES.map(({ tab }) => tab))]);
        for (const { name, show } of PLACES) {
          await show(panel);
          await picture(`${name}-${theme}`);
          const frame = await workbench.panelFrame();
          const faults = await accessibilityFaults(frame);
          assert.deepEqual(faults, [], `${name} in ${theme}`);
          assert.deepEqual(await cutTexts(frame), [], `${name} in ${theme}`);
        }
      });
    }
  },
};
