/** How tasks of trainings end: a failure shows its exit code once, and a requested stop is not a failure. */

import assert from "node:assert/strict";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, until } from "../journey.ts";
import { runIn, stepsOf } from "../runFiles.ts";

const CONFIG = "tinker-config.yaml";
/** No folder can be created below a file. */
const FAILING = localConfig({ log_path: `${CONFIG}/runs` });

export const taskEndings: Journey = {
  name: "taskEndings",
  prepare: (folder) => writeFiles(folder, { [CONFIG]: FAILING }),
  async run({ workbench, folder, step, pictures }) {
    const ended = workbench.terminal().getByText("Terminal will be reused by tasks");

    await step("a failed training is revealed and shows its exit code once", async () => {
      await workbench.show("Tinker RL");
      await workbench.command("Tinker RL: Start Training");
      await ended.waitFor({ timeout: 90_000 });
      await pictures("failed");
      const text = await workbench.terminalText();
      assert.match(text, /error: /);
      assert.equal(text.match(/exit code/g)?.length, 1);
    });

    await step(
      "a training that is stopped immediately says so, and ends without an exit code",
      async () => {
        writeFiles(folder, { [CONFIG]: localConfig({ max_steps: 50 }) });
        await workbench.command("Tinker RL: Start Training");
        await until("a step", () => stepsOf(runIn(folder)).length >= 1, 90_000);
        await workbench.command("Tinker RL: Stop Now Without Saving…");
        await workbench.dialog().getByRole("button", { name: "Stop Without Saving" }).click();
        await workbench.row(/^run tinker-config, stopped/).waitFor({ timeout: 60_000 });
        await workbench.command("Terminal: Focus Terminal");
        await ended.waitFor({ timeout: 60_000 });
        await pictures("stoppedNow");
        const text = await workbench.terminalText();
        assert.match(text, /stopped immediately, without saving/);
        assert.doesNotMatch(text, /exit code/);
      },
    );
  },
};
