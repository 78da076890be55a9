/** Chats with checkpoints: with a task, free, with samples, next to the base model, in place of a tool, and from a stored rollout. */

import assert from "node:assert/strict";
import { Keyboard } from "../../workbench/keyboard.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { chooseInMenu } from "../rowMenu.ts";
import { runIn } from "../runFiles.ts";
import { storedRollout } from "../storedRollouts.ts";
import { tinkerRlServer } from "../tinkerRlServer.ts";

const STARTING_MS = 60_000;
const TRYING_MS = 40_000;

export const chat: Journey = {
  name: "chat",
  prepare: (folder) =>
    writeFiles(folder, {
      "tinker-config.yaml": localConfig({ max_steps: 2, batch_size: 4, save_every: 1 }),
    }),
  // One page at a time.
  server: { settings: { "tinkerRL.dashboard.openOnStart": "never" } },
  async run(stage) {
    const { workbench, page, folder, step } = stage;
    const panel = workbench.panel();
    const keyboard = new Keyboard(workbench);
    const message = panel.getByRole("textbox", { name: "Message" });
    const status = panel.getByRole("status");
    /** The model's output is random: another try may do it. */
    const tryUntil = (wanted: string) =>
      until(
        wanted,
        async () => {
          await status.getByText(/is over|Write what the tool answers|Write a message/).waitFor();
          if (await status.getByText(wanted).isVisible()) return true;
          await panel.getByRole("button", { name: "Try again" }).click();
          // Until then the status is that of the try before.
          await page.waitForTimeout(1_000);
          return false;
        },
        TRYING_MS,
      );
    const send = async (text: string): Promise<void> => {
      await message.fill(text);
      await message.press("Enter");
    };

    await step("a run has checkpoints", async () => {
      await workbench.open("tinker-config.yaml");
      await workbench.show("Tinker RL");
      await workbench.unfold("Checkpoints");
      await workbench.command("Tinker RL: Start Training");
      await workbench.row(/^run tinker-config, done, step 2 of 2/).waitFor({ timeout: 60_000 });
      await workbench.notification("The run tinker-config is done.").waitFor();
      await workbench.command("Notifications: Clear All Notifications");
    });

    await step("a checkpoint's row offers a chat with a task of its run", async () => {
      const row = workbench.row(/^checkpoint checkpoint_000001 after step 1/);
      const choice = page.locator(".quick-input-list").getByText("Task of local/calculator");
      await chooseInMenu(stage, row, { title: "Chat with Checkpoint", effect: choice });
      await stage.picture("beginning");
      await choice.click();
      await workbench.answer("3");
      const name = "tinker-config · checkpoint_000001";
      await panel.getByRole("heading", { name, level: 1 }).waitFor({ timeout: STARTING_MS });
      await panel.getByText("task: local/calculator train 3").waitFor();
    });

    await step("the chat plays the task to its reward", async () => {
      await tryUntil("The episode is over");
      await panel.getByText("reward of the episode").waitFor();
      await panel.getByText("What is 87*51?").waitFor();
      await stage.accessible("task");
    });

    await step("after undo, the person answers instead of the tool", async () => {
      await panel.getByLabel("Calls answered by").selectOption("person");
      await panel.getByRole("button", { name: "Try again" }).click();
      await page.waitForTimeout(1_000);
      await tryUntil("Write what the tool answers");
      const answer = panel.getByRole("textbox", { name: /^Answer instead of the tool / });
      await answer.fill("4437");
      await stage.accessible("answer");
      await answer.press("Enter");
      await panel.getByText(/^Your answer instead of /).waitFor();
    });

    await step("a free chat with several samples side by side, by keyboard", async () => {
      await panel.getByRole("button", { name: "New…" }).click();
      await keyboard.pick("Free Conversation");
      await status.getByText("Write a message.").waitFor({ timeout: STARTING_MS });
      await panel.getByLabel("Samples").fill("3");
      await panel.getByLabel("Temperature").fill("0.8");
      await panel.getByLabel("Seed").fill("7");
      await panel.getByLabel("Max tokens per turn").fill("24");
      await send("What is 2*3?");
      await status.getByText("Choose a sample").waitFor();
      assert.equal(await panel.locator(".candidates .card").count(), 3);
      assert.equal(await panel.getByLabel("Temperature").inputValue(), "0.8");
      assert.equal(await panel.getByLabel("Max tokens per turn").inputValue(), "24");
      await stage.accessible("samples");
      const second = panel.getByRole("button", { name: "Continue with Sample 2" });
      await second.focus();
      await keyboard.press("Enter");
      await panel.locator("textarea:focus").waitFor();
      await panel.locator(".candidates").waitFor({ state: "hidden" });
    });

    await step("two checkpoints and the base model read the same message", async () => {
      await panel.getByRole("button", { name: "Beside…" }).click();
      await stage.picture("besideChoice");
      for (const label of ["local/tiny-tool", "step 2"]) {
        await page
          .locator(".quick-input-list .monaco-list-row", { hasText: label })
          .first()
          .click();
      }
      await page.keyboard.press("Enter");
      await panel.locator(".partner").nth(2).waitFor({ timeout: STARTING_MS });
      await send("What is 2*3?");
      for (const index of [0, 1, 2]) {
        await panel.locator(".partner").nth(index).locator(".turn").first().waitFor();
      }
      await stage.accessible("beside");
    });

    await step("a stored rollout continues after the tokens that were read there", async () => {
      const { index, group, rollout, before } = await storedTurn(runIn(folder));
      await keyboard.view("Trajectories");
      await keyboard.row(/^Step 1, mean/);
      await keyboard.expand();
      await workbench
        .row(/^calculator train/)
        .first()
        .waitFor();
      await keyboard.row(new RegExp(`^calculator train ${index},`));
      await keyboard.expand();
      await workbench.row(/^rollout 1,/).waitFor();
      await keyboard.row(new RegExp(`^rollout ${rollout + 1},`));
      await keyboard.press("Enter");
      await panel
        .getByRole("heading", { name: `group ${group + 1}, rollout ${rollout + 1}` })
        .waitFor();
      const frame = await workbench.panelFrame();
      await until("the panel's focus", () => frame.evaluate(() => document.hasFocus()));
      await stage.pictures("replay");
      const button = panel.locator('[data-turn="1"]').getByRole("button");
      await button.getByText("Continue from here").click();
      await keyboard.pick("I Answer the Model's Calls");
      await panel.getByText("Read before the conversation").waitFor({ timeout: STARTING_MS });
      await panel.getByText(/is not restored/).waitFor({ state: "attached" });
      const turns = panel.locator(".turn");
      await turns.first().waitFor();
      await status.getByText(/Write/).waitFor();
      await stage.accessible("continued");
      await until("no turn", async () => {
        if ((await turns.count()) === 0) return true;
        await panel.getByRole("button", { name: "Undo" }).click();
        await page.waitForTimeout(500);
        return false;
      });
      const context = await panel.locator(".partner-head .fact").textContent();
      assert.match(context ?? "", new RegExp(`^${before} tokens of context`));
    });

    await step("a chat whose server is killed shows that, and can be restarted", async () => {
      const killed = tinkerRlServer(stage.server);
      assert(killed !== undefined);
      process.kill(killed, "SIGKILL");
      await panel.getByText("This conversation ended with it.").waitFor();
      await stage.picture("serverKilled");
      await panel.getByRole("button", { name: "Begin again" }).click();
      await panel.getByText("Read before the conversation").waitFor({ timeout: STARTING_MS });
      await status.getByText(/Write/).waitFor();
      assert.notEqual(tinkerRlServer(stage.server), killed);
    });
  },
};

/** A rollout of the first step with two turns and tokens: its position, and the tokens before its second turn. */
async function storedTurn(run: string) {
  const { summary, tokens } = await storedRollout(
    run,
    0,
    ({ turns, tokenData }) => turns > 1 && tokenData.length === 1,
  );
  const before = Array.from(tokens.turns).findIndex(
    (turn, at) => turn === 1 && tokens.mask[at] === 1,
  );
  const { index, group, rollout } = summary;
  return { index, group, rollout, before };
}
