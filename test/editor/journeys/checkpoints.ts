/** Checkpoints of a run: where they are shown, and how to delete one; with an override from the settings. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { rowHover } from "../rowHover.ts";
import { chooseInMenu } from "../rowMenu.ts";

type Json = Readonly<Record<string, unknown>>;

export const checkpoints: Journey = {
  name: "checkpoints",
  prepare: (folder) =>
    writeFiles(folder, {
      "tinker-config.yaml": localConfig({ max_steps: 30, save_every: 1 }),
      "next.tinker.yaml": "model_name: local/tiny-tool\nlora_rank: 8\ninit_from: \n",
    }),
  server: { settings: { "tinkerRL.overrides": { max_steps: 2 } } },
  async run(stage) {
    const { workbench, page, folder, step, picture, pictures } = stage;
    const run = join(folder, ".tinker-rl", "runs", "tinker-config");

    await step("an override from the settings is shown next to the value it hides", async () => {
      await workbench.open("tinker-config.yaml");
      await page.keyboard.press("Control+Shift+M");
      await workbench.problems().getByText("TRL500").first().waitFor();
      await picture("override");
    });

    await step("the override applies to the run", async () => {
      await workbench.show("Tinker RL");
      await workbench.command("Tinker RL: Start Training");
      await workbench.row(/^run tinker-config, done, step 2 of 2/).waitFor({ timeout: 60_000 });
      const lines = readFileSync(join(run, "metrics.jsonl"), "utf8").trim().split("\n");
      assert.equal(lines.length, 2);
    });

    await step("the configuration shows its last run", async () => {
      await workbench.open("tinker-config.yaml");
      const last = page.locator(".codelens-decoration", { hasText: "Last run: done" });
      await last.first().waitFor();
      await picture("lastRun");
    });

    await step("checkpoints of the run are offered to start from", async () => {
      await workbench.open("next.tinker.yaml");
      await page.keyboard.press("Control+End");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("End");
      await page.keyboard.press("Control+Space");
      await workbench.suggestion("tinker-config · step 2").waitFor();
      await pictures("suggested", async () => {
        await page.keyboard.press("Control+Space");
        await workbench.suggestion("tinker-config · step 2").waitFor();
      });
      await page.keyboard.press("Escape");
    });

    await step("checkpoints of a run are listed below its row", async () => {
      await workbench.expand(workbench.row(/^run tinker-config/));
      await workbench.row(/^checkpoint checkpoint_000002 after step 2/).waitFor();
      await pictures("below");
    });

    await step("Delete Checkpoint asks first, and lists what is deleted", async () => {
      const row = workbench.row(/^checkpoint checkpoint_000002 after step 2/);
      const effect = workbench.dialog().getByText("Without it, a resume begins after step 1");
      await chooseInMenu(stage, row, { title: "Delete Checkpoint", effect });
      await picture("question");
      await workbench.dialog().getByRole("button", { name: "Delete Checkpoint" }).click();
      await row.waitFor({ state: "hidden" });
      await workbench.row(/^checkpoint checkpoint_000001 after step 1/).waitFor();
      const lines = (): readonly string[] =>
        readFileSync(join(run, "checkpoints.jsonl"), "utf8").trim().split("\n");
      await until(
        "a line that says so",
        () => JSON.parse(lines().at(-1) ?? "{}").expires_at !== null,
      );
      await picture("deleted");
    });

    await step("Keep Checkpoint sets the expiry, and the row shows it", async () => {
      const row = workbench.row(/^checkpoint checkpoint_000001 after step 1/);
      const choice = page.locator(".quick-input-list").getByText("7 Days");
      await chooseInMenu(stage, row, { title: "Keep Checkpoint", effect: choice });
      await picture("keep");
      await choice.click();
      await workbench.row(/^checkpoint checkpoint_000001 .*expires in (7 d|6 d)/).waitFor();
      await pictures("kept", async () => {
        await rowHover(stage, row, "kept until");
      });
    });

    await step("a stopped run shows when its only state expires", async () => {
      const soon = new Date(Date.now() + 2 * 3_600_000).toISOString();
      const change = (file: string, changed: (value: Json) => Json): void => {
        const path = join(run, file);
        if (!existsSync(path)) return;
        writeFileSync(path, JSON.stringify(changed(JSON.parse(readFileSync(path, "utf8")))));
      };
      // Like a run with only a rolling save.
      const lines = readFileSync(join(run, "checkpoints.jsonl"), "utf8").trim().split("\n");
      const { state: _, ...saved } = JSON.parse(lines.at(-1) ?? "{}");
      const rolling = { ...saved, kind: "rolling", expires_at: soon };
      writeFileSync(join(run, "checkpoints.jsonl"), `${JSON.stringify(rolling)}\n`);
      const { step: at, state_path, sampler_path } = rolling;
      for (const file of ["state.json", "state.prev.json"]) {
        change(file, (state) => ({
          ...state,
          last_checkpoint: { step: at, state_path, sampler_path, expires_at: soon },
        }));
      }
      change("run.json", (entry) => ({ ...entry, phase: "stopped" }));
      await workbench.command("Tinker RL: Refresh Runs");
      const row = workbench.row(/^run tinker-config, stopped.*last state expires in/);
      await row.waitFor();
      await pictures("expiry", async () => {
        await rowHover(stage, row, "Last state expires");
      });
    });

    await step("one click keeps that state", async () => {
      const row = workbench.row(/^run tinker-config, stopped/);
      await row.hover();
      await picture("keepLastState");
      await row.getByRole("button", { name: "Keep Last State" }).click();
      await until("a line without an end", () => {
        const lines = readFileSync(join(run, "checkpoints.jsonl"), "utf8").trim().split("\n");
        return lines.length === 2 && JSON.parse(lines[1] ?? "{}").expires_at === null;
      });
      await workbench.row(/^run tinker-config, stopped.*expires in/).waitFor({ state: "hidden" });
      await picture("keptLastState");
    });
  },
};
