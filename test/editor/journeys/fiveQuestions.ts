/** Common questions about runs, answered from a window with nothing open, each in at most three clicks or keys. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { SWEPT, writeSweptRuns } from "../../fakes/sweptRuns.ts";
import { writeFiles } from "../folders.ts";
import type { Journey } from "../journey.ts";
import { trainInTerminal } from "../trainInTerminal.ts";

const MAX_ACTIONS = 3;
const STEPS = 8;
const CONFIG = JSON.stringify({
  model_name: "local/tiny-tool",
  environments: Object.fromEntries(
    ["local/calculator", "local/depot"].map((name) => [
      name,
      { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0, max_turns: 6 },
    ]),
  ),
  batch_size: 8,
  max_steps: STEPS,
  evaluation: { splits: { "local/depot": ["test"] }, every: 4, num_samples: 8, temperatures: [1] },
});

/** Counts the person's actions. */
type Act = (action: Promise<unknown>) => Promise<void>;

export const fiveQuestions: Journey = {
  name: "fiveQuestions",
  prepare: async (folder) => {
    writeFiles(folder, { "tinker-config.yaml": CONFIG });
    writeSweptRuns(join(folder, ".tinker-rl", "runs"));
    await trainInTerminal(folder);
  },
  async run({ workbench, step, picture }) {
    const panel = workbench.panel();
    const run = workbench.row(/^run tinker-config, done/);
    const question = (text: string, answer: (act: Act) => Promise<string | null>): Promise<void> =>
      step(text, async () => {
        await workbench.command("View: Close All Editors");
        let actions = 0;
        const found = await answer(async (action) => {
          actions += 1;
          await action;
        });
        assert.ok(found !== null && found !== "");
        assert.ok(actions <= MAX_ACTIONS, `${actions} actions`);
        return `${found} (${actions} actions)`;
      });

    await workbench.show("Tinker RL");
    await run.waitFor({ timeout: 60_000 });
    await question("Is it learning?", async (act) => {
      await act(run.click());
      const sentence = panel.locator(".sentence");
      await sentence.getByText(/^(Learning|Flat|Falling|Too early)/).waitFor();
      return sentence.textContent();
    });
    await question("Which environment is worse?", async (act) => {
      await act(run.click());
      const curves = panel.getByLabel("Curves", { exact: true });
      await act(curves.focus());
      await act(curves.selectOption({ label: "By environment" }));
      const latest = panel.locator("figure.reward .legend li, figure.reward .legend button");
      await latest.filter({ hasText: "depot" }).first().waitFor();
      await picture("environments");
      return (await latest.allTextContents()).join("; ");
    });
    await question("What was the best rollout of the worst task?", async (act) => {
      await act(run.click());
      await act(panel.getByRole("tab", { name: "Rollouts" }).click());
      await act(panel.getByRole("button", { name: "Group mean" }).click());
      const rows = panel.locator(".grid-row");
      await rows.first().waitFor();
      await picture("worstTask");
      const cells = async (column: string): Promise<readonly string[]> =>
        rows.locator(`[data-column="${column}"]`).allTextContents();
      const [means, rewards] = [await cells("groupMean"), await cells("reward")];
      assert.deepEqual(
        means,
        [...means].sort((a, b) => Number(a) - Number(b)),
      );
      const ofGroup = rewards.slice(0, means.lastIndexOf(means[0] ?? "") + 1).map(Number);
      assert.equal(ofGroup[0], Math.max(...ofGroup));
      return `${rewards[0]} where the mean is ${means[0]}`;
    });
    await question("Which checkpoint is best on the test split?", async (act) => {
      await act(run.click());
      await act(panel.getByRole("tab", { name: "Evaluations" }).click());
      const best = panel.locator(".pivot tr", { hasText: "best" });
      await best.first().waitFor();
      await picture("evaluations");
      return best.first().locator("th").textContent();
    });
    await question("Which setting of the sweep mattered?", async (act) => {
      const sweep = workbench.row(new RegExp(`^sweep ${SWEPT.name}`));
      await sweep.hover();
      await act(sweep.getByRole("button", { name: "Show Sweep" }).click());
      const answer = panel.getByText(/^learning_rate/).first();
      await answer.waitFor();
      await picture("sweep");
      return answer.textContent();
    });
  },
};
