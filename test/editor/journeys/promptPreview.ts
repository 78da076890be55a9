/** Viewing a prompt: from a configuration to the text that the model reads, other tasks, and token ids. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import type { Journey, Stage } from "../journey.ts";
import { tinkerRlServer } from "../tinkerRlServer.ts";

/** No prompt of a local environment goes through it. */
const PROXY = "http://proxy.example:8080";

export const promptPreview: Journey = {
  name: "promptPreview",
  server: {
    settings: { "http.proxy": PROXY },
    env: { HTTPS_PROXY: undefined, https_proxy: undefined },
  },
  prepare: (folder) =>
    writeFiles(folder, {
      "one.tinker.yaml": localConfig({ max_steps: 3 }),
      "broken.tinker.yaml": "model_name: local/tiny-tool\n",
      "two.tinker.yaml": localConfig().replace(
        "environments:",
        "environments:\n  local/depot:\n    splits: {train: {}}\n    num_rollouts: 2",
      ),
    }),
  async run(stage) {
    const { workbench, page, step, picture, pictures, folder, server } = stage;

    await step("a configuration shows its first prompt", async () => {
      await workbench.open("one.tinker.yaml");
      await workbench.command("Tinker RL: Preview Prompt");
      await workbench.tab("prompt of local calculator, train 0").waitFor();
      await line(stage, "First prompt of task 0 of local/calculator, split train").waitFor();
      await line(stage, "Tinker RL reads this as the call: calc(").waitFor();
      await pictures("prompt");
    });

    await step("control tokens are framed, text is not", async () => {
      const framed = await page.locator(".view-line span[class*='ced-']").allTextContents();
      assert.ok(framed.some((text) => text.includes("<|im_start|>")));
    });

    await step("lenses open other tasks and the token ids", async () => {
      await lens(stage, "task 1").click();
      await line(stage, "First prompt of task 1 of local/calculator").waitFor();
      await lens(stage, "show token ids").click();
      await line(stage, "Token ids of the prompt").waitFor();
      await picture("ids");
      await lens(stage, "other task…").click();
      await workbench.answer("99999");
      await workbench.notification("local/calculator has no task 99999").waitFor();
      await picture("refusal");
    });

    await step("with several environments one is picked from a list", async () => {
      await workbench.open("two.tinker.yaml");
      await workbench.command("Tinker RL: Preview Prompt");
      await picture("choice");
      await workbench.pick("local/depot");
      await line(stage, "First prompt of task 0 of local/depot, split train").waitFor();
    });

    await step("the server that rendered the prompt uses the proxy from the settings", () => {
      const variables = readFileSync(`/proc/${tinkerRlServer(server)}/environ`, "utf8").split("\0");
      assert.ok(variables.includes(`HTTPS_PROXY=${PROXY}`));
      return Promise.resolve();
    });

    await step("a configuration with errors is opened with them", async () => {
      await workbench.open("broken.tinker.yaml");
      await workbench.command("Tinker RL: Preview Prompt");
      await workbench.problems().getByText("TRL111").first().waitFor();
    });

    await step("no run was made", async () => {
      assert.ok(!existsSync(join(folder, ".tinker-rl")));
    });
  },
};

function line({ page }: Stage, text: string) {
  return page.locator(".view-line", { hasText: text.replaceAll(" ", "\u00a0") }).first();
}

function lens({ page }: Stage, text: string) {
  return page.locator(".codelens-decoration a", { hasText: text });
}
