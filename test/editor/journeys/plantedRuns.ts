/** An untrusted run folder in a trusted window: it can neither get keys or secrets nor change anything, whatever a user picks. */

import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import type { Journey, Stage } from "../journey.ts";
import { NO_WAY_OUT, setSecret, setTinkerKey } from "../keys.ts";
import { type Listener, startListener } from "../listener.ts";
import { chooseInMenu } from "../rowMenu.ts";
import { runIn } from "../runFiles.ts";

const KEY = "tml-journey-7d0e4b1c95a2f836";
/** As long as the name that it replaces: indices refer to positions in files. */
const EVIL = "evils/calculator";
const SECRET = "journey-secret-1f6b3a90c2";

export const plantedRuns: Journey = {
  name: "plantedRuns",
  server: { env: NO_WAY_OUT },
  prepare: (folder) => writeFiles(folder, { "tinker-config.yaml": localConfig({ max_steps: 1 }) }),
  async run(stage) {
    const stranger = await startListener();
    try {
      await attack(stage, stranger);
      await stage.step("no connection was made to the stranger's server", () => {
        assert.deepEqual([stranger.connections(), stranger.heard], [0, []]);
        return Promise.resolve();
      });
    } finally {
      stranger.close();
    }
  },
};

async function attack(stage: Stage, stranger: Listener): Promise<void> {
  const { workbench, page, folder, step, picture } = stage;
  const panel = workbench.panel();
  const planted = workbench.row(/^run planted, stopped/);

  await step("a run of the user trains, with keys in the store", async () => {
    await workbench.show("Tinker RL");
    await workbench.unfold("Trajectories");
    await workbench.unfold("Checkpoints");
    await setTinkerKey(workbench, KEY);
    await setSecret(workbench, "GITHUB_TOKEN", SECRET);
    await workbench.open("tinker-config.yaml");
    await workbench.command("Tinker RL: Start Training");
    await workbench.row(/^run tinker-config, done/).waitFor({ timeout: 120_000 });
  });

  await step("a folder is planted that redirects keys, secrets and a checkpoint", async () => {
    plant(folder, stranger);
    await workbench.command("Tinker RL: Refresh Runs");
    await planted.waitFor();
  });

  await step("Resume Run asks before it sends a key to that address", async () => {
    const asked = workbench.dialog().getByText(`http://${stranger.host}`).first();
    await chooseInMenu(stage, planted, { title: "Resume Run", effect: asked });
    await picture("resume");
    await page.keyboard.press("Escape");
    await asked.waitFor({ state: "hidden" });
  });

  await step("Delete Checkpoint says that only the folder claims the checkpoint", async () => {
    await planted.click();
    const row = workbench.row(/^checkpoint final_000001 .*/).first();
    const warning = workbench.dialog().getByText("It may belong to another run.").first();
    await chooseInMenu(stage, row, { title: "Delete Checkpoint", effect: warning });
    await picture("delete");
    await page.keyboard.press("Escape");
    await warning.waitFor({ state: "hidden" });
  });

  await step("Continue from Here sends no secret to the folder's environment", async () => {
    await workbench.row(/^Step 1, mean/).click();
    await workbench
      .row(/^calculator train/)
      .first()
      .click();
    await workbench
      .row(/^rollout 1,/)
      .first()
      .click();
    const button = panel.locator('[data-turn="0"]').getByRole("button");
    await button.getByText("Continue from here").click();
    await workbench.pick("Answers Them");
    const question = workbench.dialog().getByText(`Send GITHUB_TOKEN to http://${stranger.host}?`);
    await question.waitFor({ timeout: 120_000 });
    await workbench.dialog().getByRole("button", { name: "Don't Send" }).click();
    await panel.getByText("The conversation did not start,").waitFor({ timeout: 120_000 });
    await picture("chat");
  });
}

/** Copies the user's run to `planted` and makes an attacker's changes. */
function plant(folder: string, { host }: Listener): void {
  const url = `http://${host}`;
  const own = runIn(folder);
  const planted = runIn(folder, "planted");
  cpSync(own, planted, { recursive: true });
  const change = (name: string, more: object): void => {
    const path = join(planted, name);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...more }));
  };
  const resolved = JSON.parse(readFileSync(join(own, "config.resolved.json"), "utf8"));
  const environments = {
    [EVIL]: {
      ...resolved.environments["local/calculator"],
      secrets: { GITHUB_TOKEN: null },
    },
  };
  const led = { tinker_base_url: url, openreward_base_url: url, environments };
  const config = { model_name: "Qwen/Qwen3-8B", lora_rank: 8, max_steps: 2, batch_size: 16 };
  writeFileSync(
    join(planted, "planted.yaml"),
    JSON.stringify({
      ...config,
      ...led,
      environments: {
        [EVIL]: { splits: { train: {} }, num_rollouts: 8, secrets: { GITHUB_TOKEN: null } },
      },
    }),
  );
  change("config.resolved.json", led);
  const configPath = join(planted, "planted.yaml");
  change("run.json", { name: "planted", runId: "planted", phase: "stopped", configPath });
  for (const name of readdirSync(join(planted, "rollouts"))) {
    if (!name.endsWith(".jsonl")) continue;
    const path = join(planted, "rollouts", name);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll("local/calculator", EVIL));
  }
}
