/** A folder that sends a stored key to strangers, in six ways: none gets it without permission, and the prompt names the address. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { aRunFile } from "../../core/runFolder/builders.ts";
import type { Theme } from "../../workbench/workbench.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import type { Journey, Stage } from "../journey.ts";
import { until } from "../journey.ts";
import { NO_WAY_OUT, setTinkerKey } from "../keys.ts";
import { type Listener, startListener } from "../listener.ts";

const KEY = "tml-journey-4f1c9a7e2b8d6035";
const HOSTED = { model_name: "Qwen/Qwen3-8B" };

interface Strangers {
  readonly inYaml: Listener;
  readonly inEnv: Listener;
  readonly inTask: Listener;
  readonly inSettings: Listener;
}

export const hostileRepository: Journey = {
  name: "hostileRepository",
  server: { env: NO_WAY_OUT },
  async run(stage) {
    const strangers: Strangers = {
      inYaml: await startListener(),
      inEnv: await startListener(),
      inTask: await startListener(),
      inSettings: await startListener(),
    };
    try {
      await visit(stage, strangers);
    } finally {
      for (const each of Object.values(strangers)) each.close();
    }
  },
};

async function visit(stage: Stage, strangers: Strangers): Promise<void> {
  const { workbench, folder, step, pictures, picture } = stage;
  const { inYaml, inEnv, inTask } = strangers;

  await step("a hostile folder is written", () => {
    writeRepository(folder, strangers);
    return Promise.resolve();
  });

  await step("a key is stored, bound to the official service", async () => {
    await workbench.show("Tinker RL");
    // A setting of the folder with another address would be offered as a second host.
    await setTinkerKey(workbench, KEY);
  });

  await step("an address in .env causes a prompt with its host", async () => {
    await workbench.open("tinker-config.yaml");
    await workbench.command("Tinker RL: Start Training");
    const question = workbench.notification("Let runs read keys from");
    await workbench.theme("light");
    await question.getByRole("button", { name: "Yes" }).click();
    await refuse(stage, inEnv, "light");
  });

  await step("an address in the configuration causes a prompt", async () => {
    await workbench.theme("hc-dark");
    await workbench.open("other.tinker.yaml");
    await workbench.command("Tinker RL: Start Training");
    await refuse(stage, inYaml, "hc-dark");
    await workbench.terminal().getByText("is for").waitFor();
    await pictures("refused");
  });

  await step("an address in a task causes a prompt", async () => {
    await workbench.command("Tasks: Run Task");
    await workbench.pick("train with a stranger");
    await refuse(stage, inTask, "dark");
  });

  await step("a task whose settings are command-line flags does not start", async () => {
    await workbench.command("Tasks: Run Task");
    await workbench.pick("train with flags");
    await workbench.terminal().getByText("The task cannot be used: TRL110").waitFor();
    await picture("flags");
  });

  await step("a task with a run of another configuration does not start", async () => {
    await workbench.command("Tasks: Run Task");
    await workbench.pick("train another run");
    await workbench.terminal().getByText("has the configuration").first().waitFor();
    await picture("another-run");
  });

  await step("no connection was made to strangers so far", () => {
    for (const [name, { heard, connections }] of Object.entries(strangers)) {
      assert.deepEqual([name, connections(), heard], [name, 0, []]);
    }
    return Promise.resolve();
  });

  await step("with permission, the key is sent to the named host, and to no other", async () => {
    await workbench.open("other.tinker.yaml");
    await workbench.command("Tinker RL: Start Training");
    const dialog = await asks(stage, inYaml);
    await dialog.getByRole("button", { name: `Send to http://${inYaml.host}` }).click();
    await until("the key", () => JSON.stringify(inYaml.heard).includes(KEY), 60_000);
    await workbench.notification("did not start: Tinker answered 403").waitFor({
      timeout: 60_000,
    });
    await picture("sent");
    for (const other of [inEnv, inTask, strangers.inSettings]) {
      assert.equal(other.connections(), 0);
    }
  });

  await step("Show Key Status lists the permission, and can withdraw it", async () => {
    await pictures("status", async () => {
      await workbench.command("Tinker RL: Show Key Status");
      await workbench.rows.filter({ hasText: inYaml.host }).first().waitFor();
    });
    await workbench.page.keyboard.press("Escape");
  });
}

function writeRepository(folder: string, strangers: Strangers): void {
  const { inYaml, inEnv, inTask, inSettings } = strangers;
  mkdirSync(join(folder, ".vscode"));
  mkdirSync(join(folder, "runs", "another"), { recursive: true });
  writeFiles(folder, {
    "tinker-config.yaml": localConfig(HOSTED),
    "other.tinker.yaml": localConfig({ ...HOSTED, tinker_base_url: `http://${inYaml.host}` }),
    "harmless.tinker.yaml": localConfig({}),
    "runs/another/run.json": JSON.stringify(
      aRunFile({
        runId: "another",
        name: "another",
        host: hostname(),
        configPath: join(folder, "other.tinker.yaml"),
      }),
    ),
    ".env": `TINKER_BASE_URL=http://${inEnv.host}\n`,
    ".vscode/settings.json": JSON.stringify({
      "tinkerRL.tinker.baseUrl": `http://${inSettings.host}`,
    }),
    ".vscode/tasks.json": JSON.stringify({
      version: "2.0.0",
      tasks: [
        {
          label: "train with a stranger",
          type: "tinker-rl",
          config: "tinker-config.yaml",
          overrides: { tinker_base_url: `http://${inTask.host}` },
        },
        {
          label: "train with flags",
          type: "tinker-rl",
          config: "other.tinker.yaml",
          overrides: { "--allow-host": inYaml.host },
        },
        {
          label: "train another run",
          type: "tinker-rl",
          config: "harmless.tinker.yaml",
          resume: "runs/another",
        },
      ],
    }),
  });
}

/** Expects the prompt, which names the key and the host. */
async function asks({ workbench }: Stage, { host }: Listener) {
  const dialog = workbench.dialog();
  await dialog.getByText(`Send TINKER_API_KEY to http://${host}?`).waitFor({ timeout: 60_000 });
  return dialog;
}

/** A modal dialog keeps the palette shut, so each one is pictured in another theme. */
async function refuse(stage: Stage, listener: Listener, theme: Theme): Promise<void> {
  const dialog = await asks(stage, listener);
  await stage.picture(`approval-${theme}`);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
}
