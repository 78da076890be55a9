/** Reading many rollouts quickly: tasks and groups, keyboard navigation, marks, two rollouts side by side and in the diff editor. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mean } from "../../../src/core/util/stats.ts";
import { formatReward } from "../../../src/shared/format.ts";
import { accessibilityFaults } from "../../workbench/accessibility.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { runIn } from "../runFiles.ts";
import { storedRollouts } from "../storedRollouts.ts";
import { trainInTerminal } from "../trainInTerminal.ts";

const STEPS = 3;
/** As many tasks as a step uses, so that every step has the same ones. */
const CONFIG = `model_name: local/tiny-tool
lora_rank: 8
environments:
  local/depot:
    splits:
      train: { num_samples: 4 }
    num_rollouts: 5
    nonterminal_reward: 0
    max_turns: 6
batch_size: 4
loss_fn: ppo
seed: 42
num_epochs: null
max_steps: ${STEPS}
`;

export const reading: Journey = {
  name: "reading",
  async prepare(folder) {
    writeFiles(folder, { "tinker-config.yaml": CONFIG });
    await trainInTerminal(folder);
  },
  async run({ workbench, page, folder, step, picture, pictures }) {
    const panel = workbench.panel();
    const run = runIn(folder);
    const rollouts = await storedRollouts(run, STEPS - 1);
    const heading = (at: { readonly group: number; readonly rollout: number }) =>
      panel.getByRole("heading", {
        name: `Step ${STEPS}, group ${at.group + 1}, rollout ${at.rollout + 1} `,
      });
    const accessible = async (): Promise<void> =>
      assert.deepEqual(await accessibilityFaults(await workbench.panelFrame()), []);

    await step("the list shows each task's text, and the mean reward of its groups", async () => {
      await workbench.show("Tinker RL");
      await workbench.row(/^run tinker-config, done/).click();
      await workbench.command("Tinker RL: Open Dashboard");
      await panel.getByRole("tab", { name: "Rollouts" }).click();
      await panel.getByRole("columnheader", { name: "Task" }).waitFor();
      await panel
        .getByText(/^Order: /)
        .first()
        .waitFor();
      await panel.locator(".logprob-strip").first().waitFor();
      await panel.getByRole("button", { name: "By task" }).click();
      for (const group of [0, 1, 2, 3]) {
        const own = rollouts.filter((each) => each.group === group);
        const shown = formatReward(mean(own.flatMap(({ reward }) => reward ?? [])));
        const head = panel.getByRole("row", {
          name: new RegExp(`^Group ${group + 1} mean ${shown}`),
        });
        await head.waitFor();
      }
      await accessible();
      await picture("groups");
    });

    await step("a key moves from rollout to rollout, in list order", async () => {
      await panel.locator(".grid-row:not(.group-row)").first().click();
      const [first, ...others] = rollouts;
      assert(first !== undefined);
      await heading(first).waitFor();
      const times: number[] = [];
      for (const next of others.slice(0, 6)) {
        const startedAt = Date.now();
        await page.keyboard.press("j");
        await heading(next).waitFor();
        times.push(Date.now() - startedAt);
      }
      await page.keyboard.press("k");
      await heading(others[4] ?? first).waitFor();
      return `${times.join(", ")} ms each, with the key's way through the browser`;
    });

    await step("a star, a tag and a note are stored in the run folder", async () => {
      await page.keyboard.press("s");
      await panel.getByRole("button", { name: "Star", pressed: true }).waitFor();
      await panel.getByRole("button", { name: "Tags and note" }).click();
      await panel.getByLabel("Add a tag").fill("lucky");
      await page.keyboard.press("Enter");
      await panel.getByText("lucky", { exact: true }).waitFor();
      await panel.getByLabel("Note", { exact: true }).fill("Ships before it has looked.");
      await panel.getByLabel("Add a tag").focus();
      const marks = join(run, "marks.jsonl");
      await until("the note", () => readFileSync(marks, "utf8").includes("Ships before"));
      const lines = readFileSync(marks, "utf8").trim().split("\n");
      assert.deepEqual(
        lines.map((line) => Object.keys(JSON.parse(line)).at(-1)),
        ["star", "addTag", "note"],
      );
      await panel.locator(".mark-icons").first().waitFor();
      await accessible();
      await picture("marks");
    });

    await step("the end of a rollout explains its reward", async () => {
      const why = panel.locator(".reward-footer");
      await why.scrollIntoViewIfNeeded();
      await why.getByText("Group of 5").waitFor();
      await why.getByText(/from the mean$/).waitFor();
      await why.getByText("Advantage").waitFor();
      await picture("why");
    });

    await step("b shows the best and the worst of the group, and where they diverge", async () => {
      await panel.locator(".replay-body").focus();
      await page.keyboard.press("b");
      await panel.locator(".beside .reward-footer").nth(1).waitFor();
      await panel.locator(".divergence").first().waitFor();
      await panel.getByText(/^They diverge in turn \d: /).waitFor();
      await pictures("beside", accessible);
    });

    await step(
      "the same task of another step opens next to it, and in the diff editor",
      async () => {
        await panel.getByLabel("Beside").selectOption({ label: "Step 1" });
        await panel.getByRole("heading", { name: /^Step 1, group \d, rollout \d/ }).waitFor();
        await panel.getByRole("button", { name: "Open in the diff editor" }).click();
        await workbench.tab("step 1, group").first().waitFor();
        await page.locator(".monaco-diff-editor").waitFor();
        await page.locator(".monaco-diff-editor").getByText("## Turn 1").first().waitFor();
        await picture("diff");
        await workbench.command("View: Close Editor");
        await panel.getByLabel("Beside").selectOption({ label: "nothing" });
      },
    );

    await step("filters are saved under a name, and find marked rollouts", async () => {
      await panel.getByRole("button", { name: "Filter", exact: true }).click();
      await panel.getByRole("combobox", { name: /^Marked/ }).selectOption({ label: "tag lucky" });
      await panel.getByText("1 of 20 rollouts").waitFor();
      await panel.getByLabel("Name of the filters").fill("lucky ones");
      await page.keyboard.press("Enter");
      await panel.getByRole("button", { name: "Clear filters" }).click();
      await panel.getByText("20 rollouts", { exact: true }).waitFor();
      await panel.getByRole("button", { name: "lucky ones", exact: true }).click();
      await panel.getByText("1 of 20 rollouts").waitFor();
      await accessible();
      await picture("filters");
    });

    await step("a small window shows everything too", async () => {
      await page.setViewportSize({ width: 1_024, height: 700 });
      await picture("small");
      await panel.getByRole("button", { name: "Back to the list" }).click();
      await picture("smallList");
    });
  },
};
