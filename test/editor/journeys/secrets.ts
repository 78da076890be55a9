/** A whole run with keys from the secret store and from `.env`: afterward no written file, message or page contains them. */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { showRunPart } from "../../workbench/dashboardPlaces.ts";
import { descendants } from "../../workbench/processes.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
import { setSecret } from "../keys.ts";
import { notedIn, noteEvents } from "../pageNotes.ts";
import { runIn, stepsOf, stepsTo, trainerOf } from "../runFiles.ts";
import { SERVED_MODEL, type Services, startServices } from "../serving.ts";

const STEPS = 4;
const STORED = "stored-51d7e0c94b2a8f63";
const IN_FILE = "written-8a3f6e1b7c05d924";

export const secrets: Journey = {
  name: "secrets",
  async run(stage) {
    const services = await startServices(join(stage.server.home, "served"));
    try {
      await train(stage, services);
    } finally {
      await services.stop();
    }
  },
};

async function train(stage: Stage, services: Services): Promise<void> {
  const { page, workbench, server, folder, step, picture, pictures } = stage;
  const run = runIn(folder);
  const values = [services.key, STORED, IN_FILE];
  await noteEvents(page, "message");

  await step("keys are set in the secret store and in .env", async () => {
    writeProject(folder, server.home, services);
    await workbench.reload();
    await workbench.show("Tinker RL");
    const host = new URL(services.tinker.url).host;
    await workbench.command("Tinker RL: Set API Key…");
    await workbench.pick("TINKER_API_KEY");
    await page.getByText("which you choose next").first().waitFor();
    await workbench.answer(services.key);
    await page.getByText("Server for Tinker (TINKER_API_KEY)").waitFor();
    await workbench.input.fill("tml-0123456789abcdef");
    await page.getByText("The pasted text was discarded.").first().waitFor();
    assert.equal(await workbench.input.inputValue(), "");
    await picture("server");
    await workbench.pick(host);
    await page.getByText("It works at").first().waitFor();
    await setSecret(workbench, "SEARCH_API_KEY", STORED);
  });

  await step(
    "a run receives them, after a prompt for the file and for each remote one",
    async () => {
      await workbench.command("Tinker RL: Start Training");
      const question = workbench.notification("Let runs read keys from");
      await question.getByRole("button", { name: "Yes" }).click();
      const { origin } = new URL(services.environments.url);
      const dialog = workbench.dialog();
      for (const name of ["MAPS_TOKEN", "SEARCH_API_KEY", "ORS_API_KEY"]) {
        await dialog.getByText(`Send ${name} to ${origin}?`).waitFor({ timeout: 60_000 });
        await picture(`approval-${name}`);
        await dialog.getByRole("button", { name: `Send to ${origin}` }).click();
      }
      await until("a step", () => stepsOf(run).length > 0, 120_000);
    },
  );

  await step("they are on no command line and in no process environment", () => {
    const running = descendants(trainerOf(run)).map(({ pid }) => pid);
    for (const pid of running) {
      for (const file of ["cmdline", "environ"]) {
        assert.deepEqual(foundIn(readFileSync(`/proc/${pid}/${file}`), values), [], file);
      }
    }
    return Promise.resolve(`${running.length} processes`);
  });

  await step("the run trains to its end, with services that need a key", async () => {
    await workbench.row(/^run tinker-config, done/).waitFor({ timeout: 180_000 });
    assert.deepEqual(stepsOf(run), stepsTo(STEPS));
    assert.ok(services.tinker.asked.some((path) => path.includes("asample")));
  });

  const seen: string[] = [];

  await step("the dashboard, the key status, an issue report and the log are opened", async () => {
    const panel = workbench.panel();
    await panel.getByRole("tab", { name: "Rollouts" }).click();
    for (const part of ["Checkpoints", "Configuration", "Log"] as const) {
      await showRunPart(panel, part);
    }
    await panel.getByRole("tab", { name: "Overview" }).click();
    seen.push(...(await shownIn(page)));
    const { length: messages } = await notedIn(await workbench.panelFrame());
    assert.ok(messages > 0, "messages to the dashboard were noted");
    await pictures("status", async () => {
      const status = workbench.rows.filter({ hasNotText: "Show Key Status" }).first();
      await workbench.command("Tinker RL: Show Key Status", status);
    });
    seen.push(...(await shownIn(page)));
    await page.keyboard.press("Escape");
    await workbench.command("Tinker RL: Report Issue…");
    await workbench.command("Tinker RL: Show Extension Log");
    seen.push(...(await shownIn(page)));
    return `${messages} messages to the dashboard`;
  });

  await step("no value is in a file, in a message to a page, or on the screen", () => {
    const files = [...filesBelow(folder), ...filesBelow(server.home)];
    const guilty = files.filter((file) => foundIn(readFileSync(file), values).length > 0);
    assert.deepEqual(guilty, [join(folder, ".env")]);
    assert.deepEqual(foundIn(Buffer.from(seen.join("\n")), values), []);
    return Promise.resolve(`${files.length} files`);
  });
}

/** The contents of the window's frames, and the messages sent to them. */
async function shownIn(page: Page): Promise<readonly string[]> {
  const texts = page.frames().map(async (frame) => {
    const html = await frame.evaluate(() => document.documentElement.outerHTML);
    return [...(await notedIn(frame)), html].join("\n");
  });
  // A hidden page can disappear at any time.
  return await Promise.all(texts.map((text) => text.catch(() => "")));
}

function writeProject(folder: string, home: string, { tinker, environments, key }: Services): void {
  const machine = join(home, "user", "Machine");
  mkdirSync(machine, { recursive: true });
  writeFileSync(
    join(machine, "settings.json"),
    JSON.stringify({ "tinkerRL.tinker.baseUrl": tinker.url }),
  );
  writeFiles(folder, {
    ".env": `ORS_API_KEY=${key}\nMAPS_TOKEN=${IN_FILE}\n`,
    "tinker-config.yaml": `model_name: ${SERVED_MODEL}
tokenizer_name: ${resolve("src/local/engine/model")}
lora_rank: 8
environments:
  calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
    secrets: { SEARCH_API_KEY: null }
secrets: { MAPS_TOKEN: null }
batch_size: 4
max_steps: ${STEPS}
learning_rate: 1e-3
max_response_tokens: 64
max_total_tokens: 256
save_every: 2
openreward_base_url: ${environments.url}
`,
  });
}

/** The values that occur in `bytes`, plain or encoded. */
function foundIn(bytes: Buffer, values: readonly string[]): readonly string[] {
  return values.filter((value) =>
    [
      value,
      Buffer.from(value).toString("base64").replace(/=+$/, ""),
      encodeURIComponent(value),
    ].some((form) => bytes.includes(form)),
  );
}

function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
