/** The card of a local demo run, in a browser. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { TEMPLATES } from "../../src/core/config/editing/completion/templates.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import type { DashboardPage } from "./dashboardPage.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";
import { THEMES } from "./themes.ts";

describe("a run of the local demo", () => {
  const { parent, fileSystem, open: openPage } = pagesOfEachTest();
  let folder = "";

  beforeAll(async () => {
    ({ folder } = await writeHardRun(fileSystem, parent, { rollouts: 24 }));
    const demo = TEMPLATES.find(({ kind }) => kind === "local")?.text ?? "";
    await writeFile(join(folder, "config.yaml"), demo);
    // With other settings it is not the demo.
    await rm(join(folder, "overrides.json"));
    await writeFile(join(folder, "config.resolved.json"), JSON.stringify({ max_steps: 40 }));
  });

  const open = async (theme = THEMES[0]): Promise<DashboardPage> => {
    const dashboard = await openPage({ folder, theme });
    await dashboard.page.locator(".reward canvas").waitFor();
    return dashboard;
  };
  const cardOf = ({ page }: DashboardPage) => page.getByRole("region", { name: "Local demo" });
  const endWith = async (phase: string): Promise<void> => {
    const path = join(folder, "run.json");
    const file = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...file, phase }));
  };

  it("explains what the model learns, and links its configuration", async () => {
    const dashboard = await open();
    await cardOf(dashboard).getByText("answer arithmetic questions").waitFor();
    await cardOf(dashboard)
      .getByRole("button", { name: /^Open .+\.yaml$/ })
      .click();
    await expect
      .poll(() => dashboard.commands)
      .toEqual([{ command: "openConfigAt", args: { path: [] } }]);
    expect(await cardOf(dashboard).getByRole("button", { name: "Evaluate" }).count()).toBe(0);
  });

  it("offers three next steps when it is done", async () => {
    await endWith("done");
    const dashboard = await open();
    const card = cardOf(dashboard);
    await card.getByRole("button", { name: "Your own environment" }).click();
    await card.getByRole("button", { name: "Evaluate" }).click();
    await expect
      .poll(() => dashboard.commands.map(({ command }) => command))
      .toEqual(["ownEnvironment", "evaluateCheckpoint"]);
    await card.getByRole("button", { name: "Read a rollout" }).click();
    await dashboard.page.locator(".reward-footer").waitFor();
  });

  it("has an accessible card in every theme, which stays hidden once it is dismissed", async () => {
    for (const theme of THEMES) {
      const dashboard = await open(theme);
      await cardOf(dashboard).waitFor();
      expect([theme.name, await accessibilityFaults(dashboard.page.mainFrame())]).toEqual([
        theme.name,
        [],
      ]);
      await cardOf(dashboard).getByRole("button", { name: "Dismiss" }).click();
      await cardOf(dashboard).waitFor({ state: "hidden" });
    }
  });
});
