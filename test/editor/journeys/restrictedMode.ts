/** In an untrusted folder, editing help works and nothing starts. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { startedRun } from "../../fakes/startedRun.ts";
import { copyExample, writeFiles } from "../folders.ts";
import { writeHostileRun } from "../hostileRun.ts";
import { type Journey, until } from "../journey.ts";

/** All commands that play in environments, and so start their servers. */
const PLAYING = {
  "ctrl+alt+f9": "tinkerRL.startTraining",
  "ctrl+alt+f1": "tinkerRL.dryRun",
  "ctrl+alt+f2": "tinkerRL.estimateCost",
  "ctrl+alt+f3": "tinkerRL.previewPrompt",
  "ctrl+alt+f4": "tinkerRL.startSweep",
  "ctrl+alt+f5": "tinkerRL.startServer",
  "ctrl+alt+f6": "tinkerRL.chatWithCheckpoint",
  "ctrl+alt+f7": "tinkerRL.evaluateCheckpoint",
};

export const restrictedMode: Journey = {
  name: "restrictedMode",
  prepare: (folder) => {
    copyExample(folder);
    writeFiles(folder, { "own.tinker.yaml": OWN_COMMAND });
  },
  server: { trust: false, keys: PLAYING },
  async run({ page, workbench, folder, step, picture }) {
    await step("the window is in Restricted Mode", async () => {
      await workbench.statusItem("Restricted Mode").waitFor();
    });

    await step("Runs says so, and how to trust the folder", async () => {
      await workbench.show("Tinker RL");
      await workbench.view("Runs").getByText("Training is off in Restricted Mode").waitFor();
      await workbench.view("Runs").getByText("Manage Workspace Trust").waitFor();
      await picture("runs");
    });

    await step("an error in a configuration is marked, and listed in Problems", async () => {
      await workbench.open("tinker-config.yaml");
      await workbench.page.locator(".view-line").first().click();
      await workbench.page.keyboard.press("Control+End");
      await workbench.page.keyboard.type("\nlearning_rat: 0.001");
      await workbench.page.locator(".squiggly-error").first().waitFor();
      await workbench.command("Problems: Focus on Problems View");
      await workbench.problems().getByText("learning_rat").first().waitFor();
      await picture("help");
    });

    await step("the palette offers help, but no start or resume", async () => {
      const log = "Tinker RL: Show Extension Log";
      assert.ok((await workbench.offered(log)).includes(log));
      const commands = ["Start Training", "Resume Run", "New Environment…"];
      for (const title of commands.map((command) => `Tinker RL: ${command}`)) {
        assert.ok(!(await workbench.offered(title)).includes(title), title);
      }
    });

    await step("a start that is called directly is refused", async () => {
      await workbench.page.keyboard.press("Control+Alt+F9");
      await workbench.notification("Start Training is off in Restricted Mode").waitFor();
      assert.ok(!existsSync(join(folder, ".tinker-rl")));
      await picture("refused");
    });

    await step("no command of a configuration is started by any call", async () => {
      await workbench.open("own.tinker.yaml");
      await workbench.page.locator(".view-line").first().click();
      for (const key of Object.keys(PLAYING)) {
        await workbench.page.keyboard.press(key.replace(/ctrl\+alt\+f/, "Control+Alt+F"));
        await page.waitForTimeout(500);
      }
      await page.waitForTimeout(2_000);
      assert.ok(!existsSync(join(folder, "started.txt")));
    });

    await step("an interrupted run is listed, and its resume not offered", async () => {
      await writeHostileRun(join(folder, ".tinker-rl", "runs"));
      await page.reload();
      await workbench.show("Tinker RL");
      await workbench.row(/interrupted/).waitFor();
      // An offer appears a moment after the row.
      await page.waitForTimeout(2_000);
      assert.equal(await workbench.notification("was interrupted").count(), 0);
      await picture("interrupted");
    });

    await step(
      "a folder outside the workspace that a configuration names is not read",
      async () => {
        const outside = `${folder}-elsewhere`;
        await writeRun(outside, "outside");
        const config = readFileSync(join(folder, "tinker-config.yaml"), "utf8");
        writeFileSync(join(folder, "outside.tinker.yaml"), `${config}\nlog_path: ${outside}\n`);
        writeFileSync(join(folder, "inside.tinker.yaml"), `${config}\nlog_path: inside\n`);
        await writeRun(join(folder, "inside"), "inside");
        await page.reload();
        await workbench.show("Tinker RL");
        await workbench.row(/inside/).waitFor();
        assert.equal(await workbench.row(/outside/).count(), 0);
      },
    );

    await step("trusting the folder enables the commands and the offer", async () => {
      await workbench.command("Workspaces: Manage Workspace Trust");
      await workbench.page.getByRole("button", { name: "Trust", exact: true }).first().click();
      await workbench.statusItem("Restricted Mode").waitFor({ state: "hidden" });
      const offered = await workbench.offered("Tinker RL: Start");
      assert.ok(offered.includes("Tinker RL: Start Training"), offered.join(", "));
      // The palette hides a notification, but it stays in the list.
      await workbench.command("Notifications: Show Notifications");
      await page.locator(".notifications-center").getByText("was interrupted").waitFor();
      await workbench.row(/outside/).waitFor();
    });

    await step("it also enables the command of a configuration", async () => {
      await workbench.open("own.tinker.yaml");
      await workbench.page.locator(".view-line").first().click();
      await workbench.page.keyboard.press("Control+Alt+F9");
      await until("the command", () => existsSync(join(folder, "started.txt")), 60_000);
    });
  },
};

/** Its command leaves a file, and is not a server. */
const OWN_COMMAND = `model_name: local/tiny-tool
environments:
  own:
    server: { command: [touch, started.txt] }
    splits: { train: {} }
    num_rollouts: 2
batch_size: 1
max_steps: 1
`;

/** A run that was interrupted before its first step. */
async function writeRun(parent: string, name: string): Promise<void> {
  const fileSystem = createFileSystem();
  await startedRun(fileSystem, parent, { name, pid: 999_999_999, host: hostname() });
  await fileSystem.close();
}
