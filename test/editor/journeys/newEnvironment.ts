/** A new environment: from an empty folder to files, an entry in the configuration and a virtual environment. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Journey, Stage } from "../journey.ts";

export const newEnvironment: Journey = {
  name: "newEnvironment",
  // Packages are unavailable.
  server: { env: { PIP_NO_INDEX: "1", UV_OFFLINE: "1" } },
  async run(stage) {
    const { workbench, folder, step, picture } = stage;
    const config = join(folder, "tinker-config.yaml");

    await step("an invalid name is rejected while it is typed", async () => {
      await workbench.command("Tinker RL: New Environment…");
      const input = stage.page.locator(".quick-input-widget:visible input");
      await input.fill("Letter Count");
      await stage.page.getByText("Use lowercase letters, digits, _ and -").first().waitFor();
      await picture("name");
      await workbench.answer("letters");
    });

    await step("each template has a description", async () => {
      await stage.page.getByText("Several tools: lookups before an answer").waitFor();
      await picture("templates");
      await workbench.pick("tools");
      await stage.page.getByText("Installs openreward and pytest").waitFor();
      await workbench.pick("Write the Files Only");
    });

    await step("the environment opens, and a configuration trains in it", async () => {
      await workbench.tab("environment.py").waitFor();
      await workbench.notification("The files of letters are written").waitFor();
      await picture("ready");
      const program = readFileSync(join(folder, "environments/letters/environment.py"), "utf8");
      assert.match(program, /class LettersEnvironment\(Environment\)/);
      assert.match(readFileSync(config, "utf8"), /^ {2}letters:$/m);
    });

    await step("a second one is added to the same configuration after a question", async () => {
      await stage.page.getByRole("button", { name: "Open Configuration" }).click();
      await workbench.tab("tinker-config.yaml").waitFor();
      await answerAll(stage, "haiku", "judge", "Write the Files Only");
      await workbench.notification("The files of haiku are written").waitFor();
      assert.match(readFileSync(config, "utf8"), /^ {2}letters:\n[\s\S]*^ {2}haiku:$/m);
    });

    await step("a failed package installation is reported, and the files stay", async () => {
      await answerAll(stage, "hunt", "state", "Make a Virtual Environment");
      await workbench.notification("The virtual environment of hunt is not complete").waitFor();
      await picture("failed-packages");
      assert.ok(existsSync(join(folder, "environments/hunt/environment.py")));
    });
  },
};

async function answerAll(
  { workbench }: Stage,
  name: string,
  template: string,
  venv: string,
): Promise<void> {
  await workbench.command("Tinker RL: New Environment…");
  await workbench.answer(name);
  await workbench.pick(template);
  await workbench.pick(venv);
  await workbench.pick("Add to tinker-config.yaml");
}
