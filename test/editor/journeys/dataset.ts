/** From a data file in the Explorer to a run on its questions, and to the unusable rows of another file. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appears } from "../../workbench/workbench.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";

const SUMS = Array.from({ length: 200 }, (_, index) => {
  const [a, b] = [2 + (index % 20), 3 + Math.floor(index / 20)];
  return `${JSON.stringify({ problem: `What is ${a}+${b}?`, target: a + b })}\n`;
});
const ROWS = ["question,answer", "Why?,So.", "How?,", "Why?,Because.", "When?,1,2"];

export const dataset: Journey = {
  name: "dataset",
  prepare: (folder) =>
    writeFiles(folder, { "sums.jsonl": SUMS.join(""), "rows.csv": `${ROWS.join("\n")}\n` }),
  async run({ workbench, page, step, picture, pictures, folder }) {
    const file = (name: string) => page.getByRole("treeitem", { name }).first();

    await step("the menu of a data file writes a configuration with its columns", async () => {
      await page.keyboard.press("Control+Shift+E");
      const title = "Train on This Dataset…";
      await until(title, async () => {
        // A menu that opened late covers the row.
        await file("sums.jsonl")
          .click({ button: "right", timeout: 1_000 })
          .catch(() => undefined);
        return appears(page.getByRole("menuitem", { name: title }), 2_000);
      });
      // A second click would write a second file.
      await page.getByRole("menuitem", { name: title }).click();
      await workbench.tab("tinker-config.yaml").waitFor();
      const text = readFileSync(join(folder, "tinker-config.yaml"), "utf8");
      assert.match(
        text,
        /tasks: sums\.jsonl\n {4}columns:\n {6}question: problem\n {6}answer: target/,
      );
      assert.match(text, /type: number/);
      await page.locator(".view-line").getByText("sums.jsonl").first().waitFor();
      assert.equal(await page.locator(".squiggly-error").count(), 0);
      await pictures("config");
    });

    await step("the configuration trains, here with the embedded model", async () => {
      const path = join(folder, "tinker-config.yaml");
      const changed = readFileSync(path, "utf8")
        .replace("Qwen/Qwen3-8B", "local/tiny-tool")
        .replace("type: number", "type: number\n      tolerance: 0.2")
        .replace("in_prompt: true", "in_prompt: false")
        .replace("num_rollouts: 16", "num_rollouts: 4")
        .replace(/batch_size: 32.*/, "batch_size: 8\nmax_steps: 2")
        .replace("max_response_tokens: 2048\n", "")
        .replace("num_samples: 128", "num_samples: 4");
      writeFileSync(path, changed);
      await page.locator(".view-line").getByText("local/tiny-tool").last().waitFor();
      await workbench.command("Tinker RL: Start Training");
      await workbench.show("Tinker RL");
      await workbench.row(/^run tinker-config, done, step 2 of 2/).waitFor({ timeout: 90_000 });
      await picture("run");
    });

    await step("Problems lists unusable rows at their lines", async () => {
      writeFileSync(
        join(folder, "rows.tinker.yaml"),
        "model_name: local/tiny-tool\nenvironments:\n  local/dataset:\n    tasks: rows.csv\n    splits: {train: {}}\n    num_rollouts: 4\nbatch_size: 2\nmax_steps: 1\n",
      );
      await workbench.open("rows.tinker.yaml");
      await workbench.command("Tinker RL: Start Training");
      await workbench.notification("the data file has 3 problems").waitFor();
      await workbench.command("Problems: Focus on Problems View");
      const problems = workbench.problems();
      await problems.getByText("row 3, answer: is empty").first().waitFor();
      await problems.getByText("row 4, answer: differs from the answer").first().waitFor();
      await problems.getByText("row 5 has 3 values").first().waitFor();
      await pictures("problems");
    });
  },
};
