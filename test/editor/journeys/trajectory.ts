/** By keyboard only: from a step to a rollout, the reward at its turn, and the stored number for a token. */

import assert from "node:assert/strict";
import { formatMeasure, formatReward } from "../../../src/shared/format.ts";
import { Keyboard } from "../../workbench/keyboard.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { runIn } from "../runFiles.ts";
import { storedRollout } from "../storedRollouts.ts";
import { trainInTerminal } from "../trainInTerminal.ts";

const STEP = 1;

export const trajectory: Journey = {
  name: "trajectory",
  async prepare(folder) {
    writeFiles(folder, { "tinker-config.yaml": localConfig({ max_steps: 2 }) });
    await trainInTerminal(folder);
  },
  async run({ workbench, folder, step, pictures }) {
    const keyboard = new Keyboard(workbench);
    const panel = workbench.panel();
    const { summary, body, tokens } = await storedRollout(
      runIn(folder),
      STEP,
      // Its only reward comes after its first turn.
      ({ reward, turns, tokenData }) => reward === 1 && turns > 1 && tokenData.length > 0,
    );

    await step("arrow keys move from a step through a group to a rollout", async () => {
      await keyboard.view("Trajectories");
      await keyboard.row(/^Step 2, mean/);
      await keyboard.expand();
      await workbench
        .row(/^calculator train/)
        .first()
        .waitFor();
      await keyboard.row(new RegExp(`^calculator train ${summary.index},`));
      await keyboard.expand();
      await workbench.row(/^rollout 1,/).waitFor();
      await keyboard.row(new RegExp(`^rollout ${summary.rollout + 1},`));
    });

    await step("Enter opens it, and the panel gets the keyboard", async () => {
      await keyboard.press("Enter");
      const title = `Step ${STEP + 1}, group ${summary.group + 1}, rollout ${summary.rollout + 1}`;
      await panel.getByRole("heading", { name: title }).waitFor();
      const frame = await workbench.panelFrame();
      await until("the panel's focus", () => frame.evaluate(() => document.hasFocus()));
      await pictures("replay");
    });

    await step("each turn shows the reward of its results", async () => {
      const turns = panel.locator(".turn");
      assert.equal(await turns.count(), body.turns.length);
      for (const [index, { results }] of body.turns.entries()) {
        const chip = turns.nth(index).locator(".turn-reward .reward-chip");
        const rewards = results.flatMap(({ reward }) => (reward === null ? [] : [reward]));
        const shown = rewards.length === 0 ? [] : [`reward ${formatReward(sum(rewards))}`];
        assert.deepEqual(await chip.allInnerTexts(), shown, `turn ${index + 1}`);
      }
    });

    await step("g r jumps to the reward, and the arrows move from turn to turn", async () => {
      const rewarded = body.turns.findIndex(({ results }) =>
        results.some(({ reward }) => reward !== null),
      );
      await keyboard.press("g", "r");
      const focus = panel.locator(":focus");
      assert.match((await focus.textContent()) ?? "", /^reward/);
      await keyboard.press("ArrowLeft");
      await panel.locator(`[data-turn="${rewarded - 1}"]:focus`).waitFor();
      await keyboard.press("ArrowRight");
      await panel.locator(`[data-turn="${rewarded}"]:focus`).waitFor();
    });

    await step("the token under the cursor shows its stored values", async () => {
      await keyboard.press("t");
      const boxes = panel.getByRole("listbox", { name: "Tokens" });
      await boxes.waitFor();
      await keyboard.tabTo(boxes);
      const trained = Array.from(tokens.ids, (_, at) => at).filter((at) => tokens.mask[at] === 1);
      const goals = [trained[0], trained.at(-1)].filter((at) => at !== undefined);
      assert.equal(goals.length, 2);
      await keyboard.press("Home");
      let at = 0;
      for (const goal of goals) {
        for (; at < goal; at += 1) await keyboard.press("ArrowRight");
        const details = panel.locator(".token-details");
        await details
          .getByText(String(at + 1), { exact: true })
          .first()
          .waitFor();
        const text = (await details.textContent()) ?? "";
        assert.ok(text.includes(formatMeasure(tokens.samplerLogprobs[at] ?? Number.NaN)), text);
        assert.ok(text.includes(formatMeasure(tokens.trainerLogprobs[at] ?? Number.NaN)), text);
        assert.ok(text.includes(String(tokens.ids[at])), text);
      }
      await pictures("tokens");
      return `${tokens.ids.length} tokens, ${trained.length} of them trained on`;
    });

    await step("? lists the keys, and Escape returns to the list", async () => {
      await keyboard.press("?");
      await panel.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await pictures("help");
      await keyboard.press("Escape");
      await panel.getByRole("dialog").waitFor({ state: "hidden" });
      await keyboard.press("Escape");
      await panel.getByRole("grid").waitFor();
      await pictures("list");
    });
  },
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
