/** From an empty folder to an environment that a model learns in: new, edit, play, check, train. Installs packages from the network. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Journey, until } from "../journey.ts";
import { runIn } from "../runFiles.ts";

const ROOT = "environments/letters";

export const fiveMinutes: Journey = {
  name: "fiveMinutes",
  isByHand: true,
  async run({ workbench, folder, step, picture }) {
    const startedMs = Date.now();
    const program = join(folder, ROOT, "environment.py");

    await step("New Environment… writes the files, and installs the packages", async () => {
      await workbench.command("Tinker RL: New Environment…");
      await workbench.answer("letters");
      await workbench.pick("tools");
      await workbench.pick("Make a Virtual Environment");
      await workbench.notification("letters is ready").waitFor({ timeout: 300_000 });
      await picture("ready");
    });

    await step("the prompt is edited", async () => {
      const before = readFileSync(program, "utf8");
      const after = before.replace(
        "Follow the keys, then answer.",
        "Follow the keys; then answer.",
      );
      assert.notEqual(after, before);
      writeFileSync(program, after);
    });

    await step("one task is played manually, with the edited prompt", async () => {
      await workbench.open("tinker-config.yaml");
      await workbench.command("Tinker RL: Play Environment…");
      await workbench.pick("letters");
      await workbench.answer("0");
      const panel = workbench.panel();
      await panel.getByText("Follow the keys; then answer.").first().waitFor({ timeout: 60_000 });
      await panel.getByRole("button", { name: "answer", exact: true }).click();
      await panel.locator(".tool-form textarea").first().fill("1");
      await panel.getByRole("button", { name: "Call answer" }).click();
      await panel.getByText("Reward 0.00", { exact: true }).waitFor({ timeout: 30_000 });
      await picture("played");
    });

    await step("the check finds nothing", async () => {
      await workbench.command("Tinker RL: Check Environment");
      await workbench.pick("letters");
      await workbench.terminal().getByText("nothing found").first().waitFor({ timeout: 120_000 });
      await picture("checked");
    });

    await step("the embedded model learns in it, above the environment's floor", async () => {
      await workbench.command("Tinker RL: Start Training");
      const rows = join(runIn(folder, "tinker-config"), "metrics.jsonl");
      await until("thirty steps", () => existsSync(rows) && lineCount(rows) >= 30, 400_000);
      await workbench.show("Tinker RL");
      await workbench.row(/^run tinker-config, done/).waitFor({ timeout: 60_000 });
      await picture("learned");
      await workbench
        .panel()
        .getByText(/^Learning/)
        .first()
        .waitFor();
      return `${Math.round((Date.now() - startedMs) / 1000)} s from the empty folder`;
    });
  },
};

function lineCount(path: string): number {
  return readFileSync(path, "utf8").split("\n").length - 1;
}
