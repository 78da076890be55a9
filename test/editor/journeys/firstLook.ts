/** The extension is installed, says what to do, and starts quickly. */

import assert from "node:assert/strict";
import { memoryMb } from "../../workbench/processes.ts";
import { appears } from "../../workbench/workbench.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";

export const firstLook: Journey = {
  name: "firstLook",
  async run({ workbench, server, folder, step, pictures, picture }) {
    await step("the activity bar has the container, with four views", async () => {
      await workbench.show("Tinker RL");
      for (const view of ["Runs", "Trajectories", "Checkpoints", "Environments"]) {
        await workbench.view(view).waitFor();
      }
    });

    await step("empty views say what to do", async () => {
      await workbench.view("Runs").getByText("no configuration yet").waitFor();
      await workbench.unfold("Trajectories");
      await workbench.view("Trajectories").getByText("will appear here").waitFor();
      await workbench.unfold("Checkpoints");
      await workbench.view("Checkpoints").getByText("Saved weights of your runs").waitFor();
      await workbench.unfold("Environments");
      await workbench.view("Environments").getByText("calculator").waitFor();
      await pictures("views");
    });

    await step("the palette offers the commands", async () => {
      for (const title of [
        "Tinker RL: Start Local Demo (No Keys)",
        "Tinker RL: Open Walkthrough",
      ]) {
        assert.ok((await workbench.offered(title)).includes(title), title);
      }
    });

    await step("the walkthrough opens", async () => {
      const heading = workbench.page.getByText("First steps with Tinker RL").first();
      // On its first call in a session VS Code 1.106 shows one of its own walkthroughs.
      await until("our walkthrough", async () => {
        await workbench.command("Tinker RL: Open Walkthrough");
        return await appears(heading, 3000);
      });
      for (const title of ["Run the local demo", "Stop and resume"]) {
        await workbench.page.getByRole("button", { name: title }).first().click();
        await workbench.panel().locator("svg").waitFor();
        await picture(`walkthrough ${title}`);
      }
    });

    await step("it activates quickly and takes little memory", async () => {
      const { load, activate, event } = await workbench.activation("tinker-rl.tinker-rl");
      const pid = await until("the extension host", () => server.hostPid());
      return `load ${load} ms, activate ${activate} ms by ${event}; host ${memoryMb(pid).toFixed(0)} MB`;
    });

    await step("a configuration in the folder activates it without an open view", async () => {
      await workbench.command("View: Close All Editors");
      await workbench.show("Explorer");
      writeFiles(folder, { "math.tinker.yaml": localConfig({}) });
      await workbench.reload();
      const title = "Tinker RL: Start Training";
      await until("the command", async () => (await workbench.offered(title)).includes(title));
      const { event } = await workbench.activation("tinker-rl.tinker-rl");
      assert.match(event, /^workspaceContains:/);
      return `by ${event}`;
    });
  },
};
