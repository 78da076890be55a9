/** Playing a task in a tab: forms for its tools, results, reward, and the stored play in the reader. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Journey } from "../journey.ts";

export const playEnvironment: Journey = {
  name: "playEnvironment",
  prepare: (folder) => writeFileSync(join(folder, "tinker-config.yaml"), CONFIG),
  async run(stage) {
    const { workbench, step, picture, accessible } = stage;
    const panel = workbench.panel();

    await step("the prompt is shown as the model reads it", async () => {
      await workbench.open("tinker-config.yaml");
      await workbench.command("Tinker RL: Play Environment…");
      await workbench.pick("local/calculator");
      await workbench.answer("3");
      await panel.getByText("Your turn: be the model.").waitFor({ timeout: 30_000 });
      await panel.getByText("<|im_start|>user").waitFor();
      await panel.getByRole("button", { name: "calc", exact: true }).waitFor();
      await accessible("begun");
    });

    await step("a call is a form, and its result follows", async () => {
      await panel.getByRole("textbox", { name: "expr" }).fill(await sum());
      await panel.getByRole("button", { name: "Call calc" }).click();
      await panel.getByText("Result calc").waitFor();
      await panel.getByText("Your turn").waitFor();
      await picture("called");
    });

    await step("an answer by keyboard earns the reward", async () => {
      const result = await panel.locator("[data-tone=result] .plain-text").first().textContent();
      await panel.getByRole("button", { name: "answer", exact: true }).press("Enter");
      await panel.getByRole("textbox", { name: "value" }).fill(result?.trim() ?? "");
      await panel.getByRole("button", { name: "Call answer" }).press("Enter");
      await panel.getByText("Reward 1.00", { exact: true }).waitFor();
      await accessible("ended");
    });

    await step("the play is stored, and opens in the reader", async () => {
      await panel.getByRole("button", { name: "Read the play" }).click();
      await panel.getByRole("tab", { name: "Rollouts" }).click();
      await panel.getByRole("row", { name: /1\.00/ }).first().waitFor();
      await picture("stored");
    });

    async function sum(): Promise<string> {
      const text = (await panel.locator(".play-body").textContent()) ?? "";
      const [, found] = /What is (.+?)\?/.exec(text) ?? [];
      assert.ok(found !== undefined, text);
      return found;
    }
  },
};

const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator:
    splits: {train: {}}
    num_rollouts: 4
batch_size: 4
max_steps: 1
`;
