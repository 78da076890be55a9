/** An environment's own server in the Environments view: start, tasks, play, save, stop. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { appears } from "../../workbench/workbench.ts";
import { type Journey, until } from "../journey.ts";
import { chooseInMenu } from "../rowMenu.ts";

const PROGRAM = "environments/calculator/environment.py";

export const ownServer: Journey = {
  name: "ownServer",
  prepare: (folder) => {
    mkdirSync(join(folder, "environments/calculator"), { recursive: true });
    writeFileSync(join(folder, PROGRAM), ENVIRONMENT);
    writeFileSync(join(folder, "tinker-config.yaml"), CONFIG);
  },
  async run(stage) {
    const { page, workbench, folder, step, picture, pictures } = stage;
    const own = workbench.row(/^environment calculator with a server of its own/).first();
    const starts = (): number =>
      readFileSync(join(folder, "environments/calculator/starts.txt"), "utf8").length;

    await step("the view offers to start it", async () => {
      await workbench.show("Tinker RL");
      await workbench.view("Runs").locator(".pane-header").click();
      await workbench.unfold("Environments");
      await workbench.expand(own);
      await workbench.row(/^Server stopped/).waitFor();
      await pictures("stopped");
    });

    await step("it starts, and its tasks have their prompts", async () => {
      await own.hover();
      await own.getByRole("button", { name: "Start Server" }).click();
      await workbench.row(/^Server running, 127/).waitFor({ timeout: 20_000 });
      await workbench.expand(workbench.row(/^train, split/));
      await workbench.row(/^task 3 of train, .*\d/).waitFor();
      await pictures("tasks");
      await workbench.row(/^task 19 of train/).scrollIntoViewIfNeeded();
    });

    await step("its log shows its output", async () => {
      const effect = page.locator(".part.panel").getByText("calculator is ready").first();
      await chooseInMenu(stage, own, { title: "Show Server Log", effect });
      await picture("log");
    });

    await step("a task is played on it", async () => {
      const task = workbench.row(/^task 3 of train/);
      await task.hover();
      await task.getByRole("button", { name: "Play This Task" }).click();
      await workbench.panel().getByText("be the model").waitFor({ timeout: 30_000 });
      await picture("play");
      assert.equal(starts(), 1);
    });

    await step("a check shows its result in the row", async () => {
      const effect = page.locator(".part.panel").getByText("Check calculator").first();
      await chooseInMenu(stage, own, { title: "Check Environment", effect });
      await workbench.row(/^environment calculator .*(check passed|defects?)/).waitFor({
        timeout: 60_000,
      });
      await pictures("checked");
      assert.equal(starts(), 1);
    });

    await step("its class has lenses", async () => {
      await workbench.open("environment.py");
      for (const title of ["Play", "Check", "Train"]) {
        await page.locator(".codelens-decoration a", { hasText: title }).first().waitFor();
      }
      await pictures("lenses");
    });

    await step("saving code restarts it", async () => {
      await page.locator(".view-line").first().click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.type("# changed\n");
      await page.keyboard.press("Control+s");
      await until("another start", () => starts() === 2, 20_000);
      await workbench.row(/^Server running, 127/).waitFor({ timeout: 20_000 });
      await workbench.row(/^environment calculator .*code changed since/).waitFor();
    });

    await step("it stops", async () => {
      const stop = own.getByRole("button", { name: "Stop Server" });
      await until("the server to stop", async () => {
        // A row that is redrawn under the click misses it.
        await own.hover();
        if (await stop.isVisible()) await stop.click();
        return appears(workbench.row(/^Server stopped/), 5_000);
      });
    });
  },
};

/** The embedded calculator behind Python, because packages are unavailable. */
const ENVIRONMENT = `import os

try:
    from openreward.environments import Environment
except ImportError:
    Environment = object


class Calculator(Environment):
    pass


print("calculator is ready", flush=True)
with open("environments/calculator/starts.txt", "a") as starts:
    starts.write("+")
program = ${JSON.stringify(resolve("dist/trainer/environment.js"))}
os.execv(${JSON.stringify(process.execPath)}, ["node", program, "--port", os.environ["PORT"]])
`;

const CONFIG = `model_name: local/tiny-tool
environments:
  calculator:
    server: { command: [python3, ${PROGRAM}] }
    splits: { train: {} }
    num_rollouts: 2
    nonterminal_reward: 0
batch_size: 1
max_steps: 1
`;
