/** By keyboard only: from a step in the tree to a rollout, which gets the keyboard. */

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
    const { summary } = await storedRollout(
      runIn(folder),
      STEP,
      // Its only reward comes after its first turn.
      ({ reward, turns, tokenData }) => reward === 1 && turns > 1 && tokenData.length > 0,
    );

    await step("arrow keys move from a step through a group to a rollout", async () => {
      await keyboard.view("Trajectories");
      await keyboard.row(/^Step 2, mean/);
      await keyboard.press("ArrowRight");
      await workbench
        .row(/^calculator train/)
        .first()
        .waitFor();
      await keyboard.row(new RegExp(`^calculator train ${summary.index},`));
      await keyboard.press("ArrowRight");
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
