/** From a file of conversations to a model trained on it: contents, errors, the loss, and an example with per-token loss. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { GAMES } from "../games.ts";
import { type Journey, until } from "../journey.ts";

const STEPS = 6;
const CONFIG = `model_name: local/tiny-tool
method: sft
data:
  - path: games.jsonl
batch_size: 8
max_steps: ${STEPS}
`;

export const demonstrations: Journey = {
  name: "demonstrations",
  prepare: (folder) =>
    writeFiles(folder, {
      "tinker-config.yaml": CONFIG,
      "games.jsonl": GAMES.join(""),
      "more.jsonl": `${GAMES[0]}{"messages": []}\n`,
      "rl.tinker.yaml": localConfig({ max_steps: 1 }),
    }),
  async run({ workbench, page, folder, step, picture, pictures, accessible }) {
    const lens = (text: string) => page.locator(".codelens-decoration").getByText(text);
    const panel = workbench.panel();

    await step("a lens above a source shows its contents", async () => {
      await workbench.open("tinker-config.yaml");
      await lens("60 examples · 120 turns").waitFor();
      await pictures("lens");
    });

    await step("it opens the conversations, with the trained parts marked", async () => {
      await lens("60 examples").click();
      await panel.getByText("60 examples").waitFor();
      await panel.getByText("What is 12*3?").first().click();
      await panel.getByRole("heading", { name: "Example 1" }).waitFor();
      await panel.getByText("Call calc").waitFor();
      await picture("conversation");
      await panel.getByRole("button", { name: "Tokens" }).click();
      await panel.getByText("Underlined: trained on").waitFor();
      await panel.locator('.token[data-masked="false"]').first().waitFor();
      await pictures("marked");
      await workbench.command("View: Close All Editors");
    });

    await step("a source is picked from a list, and its errors are marked", async () => {
      await workbench.open("tinker-config.yaml");
      await workbench.command("Tinker RL: Add Data Source…");
      await workbench.rows.filter({ hasText: "more.jsonl" }).first().waitFor();
      await picture("sources");
      await workbench.pick("more.jsonl");
      await lens("1 example · 2 turns").waitFor();
      await page.locator(".squiggly-error").first().waitFor();
      await workbench.command("Problems: Focus on Problems View");
      await workbench.problems().getByText("Row 2 of more.jsonl cannot be trained on").waitFor();
      await pictures("refused");
      writeFileSync(join(folder, "more.jsonl"), GAMES.slice(0, 4).join(""));
      await lens("4 examples · 8 turns").waitFor();
      await page.locator(".squiggly-error").first().waitFor({ state: "hidden" });
      await page.keyboard.press("Control+J");
    });

    await step("the run shows its loss", async () => {
      await workbench.open("tinker-config.yaml");
      await page.locator(".view-line").first().click();
      await page.keyboard.press("Control+S");
      const added = / {2}- path: games\.jsonl\n {2}- \{ path: more\.jsonl \}\n/;
      await until("the saved entry", () =>
        added.test(readFileSync(join(folder, "tinker-config.yaml"), "utf8")),
      );
      await workbench.command("Tinker RL: Start Training");
      await workbench.show("Tinker RL");
      await workbench.row(/^run tinker-config, done/).waitFor({ timeout: 60_000 });
      await workbench.row(/^run tinker-config, done/).click();
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.getByRole("figure", { name: "Loss" }).waitFor();
      await panel
        .getByText(new RegExp(`Loss: .* in ${STEPS} steps`))
        .first()
        .waitFor();
      await pictures("loss");
    });

    await step("an example of a step shows the loss of its tokens", async () => {
      await panel.getByRole("tab", { name: "Examples" }).click();
      await panel.locator(".grid-row").first().click();
      await panel.getByRole("heading", { name: `Step ${STEPS}, example 1` }).waitFor();
      await panel.getByRole("button", { name: "Tokens" }).click();
      await until("colored tokens", async () => {
        return (await panel.locator(".token[data-level]").count()) > 0;
      });
      await accessible("tokens");
    });

    await step("rollouts of a run become a source, with a filter", async () => {
      await workbench.command("View: Close All Editors");
      await workbench.open("rl.tinker.yaml");
      await workbench.command("Tinker RL: Add Data Source…");
      await workbench.pick("tinker-config");
      await workbench.pick("reward > 0");
      await workbench.pick("At Most 2 of a Task");
      await workbench.notification("now has method: sft").waitFor();
      await page.keyboard.press("Control+S");
      const read = () => readFileSync(join(folder, "rl.tinker.yaml"), "utf8");
      await until("the entry", () => read().includes("method: sft"));
      assert.match(
        read(),
        /run: \.tinker-rl\/runs\/tinker-config, where: "reward > 0", max_per_task: 2/,
      );
      // That run had no rollouts with rewards.
      await page.locator(".squiggly-error").first().waitFor();
      await picture("rollouts");
    });
  },
};
