/** In a folder that is not trusted, help works and nothing starts. */

import assert from "node:assert/strict";
import { copyExample } from "../folders.ts";
import type { Journey } from "../journey.ts";

export const restrictedMode: Journey = {
  name: "restrictedMode",
  prepare: copyExample,
  server: { trust: false },
  async run({ workbench, step, picture }) {
    await step("the window is in Restricted Mode", async () => {
      await workbench.statusItem("Restricted Mode").waitFor();
    });

    await step("Runs says so, and how to trust the folder", async () => {
      await workbench.show("Tinker RL");
      await workbench.view("Runs").getByText("Training is off in Restricted Mode").waitFor();
      await workbench.view("Runs").getByText("Manage Workspace Trust").waitFor();
      await picture("runs");
    });

    await step("the palette offers no start", async () => {
      const offered = await workbench.offered("Tinker RL: ");
      assert.ok(offered.includes("Tinker RL: Show Extension Log"), offered.join(", "));
      assert.ok(!offered.some((title) => /Start|Resume/.test(title)), offered.join(", "));
    });
  },
};
