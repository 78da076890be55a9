/** A run's weights at a service: published after a prompt, and downloaded with a cost warning, a form, a folder and progress. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Locator } from "playwright-core";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
import { NO_WAY_OUT, setTinkerKey } from "../keys.ts";
import { chooseInMenu } from "../rowMenu.ts";
import { SERVED_MODEL, type Services, startServices } from "../serving.ts";

export const weights: Journey = {
  name: "weights",
  server: { env: NO_WAY_OUT },
  async run(stage) {
    const services = await startServices(join(stage.server.home, "served"));
    try {
      await train(stage, services);
      await publish(stage, services);
      await download(stage, services);
    } finally {
      await services.stop();
    }
  },
};

async function train(stage: Stage, { tinker, key }: Services): Promise<void> {
  const { workbench, folder, step } = stage;
  const { origin } = new URL(tinker.url);

  await step("a run trains at a service that its configuration names", async () => {
    writeFiles(folder, {
      "tinker-config.yaml": `model_name: ${SERVED_MODEL}
tokenizer_name: ${resolve("src/local/engine/model")}
tinker_base_url: ${tinker.url}
lora_rank: 8
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 4
max_steps: 1
`,
    });
    await workbench.show("Tinker RL");
    await workbench.unfold("Checkpoints");
    await setTinkerKey(workbench, key);
    await workbench.open("tinker-config.yaml");
    await workbench.command("Tinker RL: Start Training");
    const dialog = workbench.dialog();
    await dialog.getByText(`Send TINKER_API_KEY to ${origin}?`).waitFor({ timeout: 60_000 });
    await dialog.getByRole("button", { name: `Send to ${origin}` }).click();
    await workbench.row(/^run tinker-config, done/).waitFor({ timeout: 120_000 });
  });
}

async function publish(stage: Stage, { tinker }: Services): Promise<void> {
  const { workbench, step, picture } = stage;

  await step("Publish Checkpoint asks first, and uses the run's service", async () => {
    const title = workbench.dialog().getByText("Publish the checkpoint final_000001");
    await chooseInMenu(stage, checkpointRow(stage), {
      title: "Publish Checkpoint",
      effect: title,
    });
    await picture("publish");
    await workbench.dialog().getByRole("button", { name: "Publish", exact: true }).click();
    await workbench.statusItem("final_000001 is public now").waitFor();
    await picture("published");
    assert.ok(tinker.asked.some((path) => path.endsWith("/publish")));
  });

  await step("Unpublish Checkpoint asks first, and reverts it", async () => {
    const title = workbench.dialog().getByText("Unpublish the checkpoint final_000001");
    await chooseInMenu(stage, checkpointRow(stage), {
      title: "Unpublish Checkpoint",
      effect: title,
    });
    await workbench.dialog().getByRole("button", { name: "Unpublish", exact: true }).click();
    await workbench.statusItem("final_000001 is no longer public").waitFor();
  });
}

async function download(stage: Stage, { key }: Services): Promise<void> {
  const { workbench, page, folder, step, picture, pictures } = stage;
  const target = join(folder, "tinker-config-final_000001");

  await step("Download Weights first warns that the service may charge for it", async () => {
    await acceptCost(stage, () => picture("cost"));
  });

  await step("Download Weights asks for form and folder, and writes the weights", async () => {
    await workbench.input.waitFor();
    await picture("form");
    await workbench.pick("For PEFT and Transformers");
    await acceptFolder(stage, () => picture("folder"));
    const done = workbench.notification("The weights of final_000001 are in");
    await done.waitFor({ timeout: 60_000 });
    await pictures("downloaded");
    for (const name of ["adapter_config.json", "adapter_model.safetensors", "README.md"]) {
      assert.ok(existsSync(join(target, name)), name);
    }
    const card = readFileSync(join(target, "README.md"), "utf8");
    assert.ok(card.includes(SERVED_MODEL));
    assert.ok(!card.includes(key));
  });

  await step("a second download finds the weights there, and fetches nothing", async () => {
    const weights = join(target, "adapter_model.safetensors");
    const writtenMs = statSync(weights).mtimeMs;
    await workbench.command("Notifications: Clear All Notifications");
    await acceptCost(stage);
    await workbench.pick("For PEFT and Transformers");
    await acceptFolder(stage);
    await workbench.notification("The weights of final_000001 are in").waitFor({ timeout: 60_000 });
    assert.equal(statSync(weights).mtimeMs, writtenMs);
  });

  await step("refuses a folder that contains other files", async () => {
    // Without its model card, the folder is no longer a complete download.
    rmSync(join(target, "README.md"));
    await acceptCost(stage);
    await workbench.pick("For PEFT and Transformers");
    await acceptFolder(stage);
    await workbench.notification("contains other files").waitFor({ timeout: 60_000 });
    await picture("refused");
  });

  await step("merged weights use the base model's folder, and get their own", async () => {
    await acceptCost(stage);
    await workbench.pick("Merged into the Base Model");
    await until("the dialog", async () => (await workbench.input.inputValue()) === `${folder}/`);
    await workbench.input.fill(`${resolve("dist/trainer/model")}/`);
    await picture("base");
    await page.getByRole("button", { name: "Use This Base Model" }).click();
    await acceptFolder(stage);
    const merged = `${target}-merged`;
    await until("the card", async () => existsSync(join(merged, "README.md")));
    for (const name of ["config.json", "model.safetensors"]) {
      assert.ok(existsSync(join(merged, name)), name);
    }
  });
}

async function acceptCost(
  stage: Stage,
  look: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const title = stage.workbench.dialog().getByText("Download the weights of final_000001");
  await chooseInMenu(stage, checkpointRow(stage), { title: "Download Weights", effect: title });
  await look();
  await stage.workbench.dialog().getByRole("button", { name: "Download", exact: true }).click();
}

/** The dialog starts in the open folder. */
async function acceptFolder(
  { workbench, page, folder }: Stage,
  look: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await workbench.input.waitFor();
  await until("the folder", async () => (await workbench.input.inputValue()) === `${folder}/`);
  await look();
  await page.getByRole("button", { name: "Download Here" }).click();
}

function checkpointRow({ workbench }: Stage): Locator {
  return workbench.row(/^checkpoint final_000001 after step 1/);
}
