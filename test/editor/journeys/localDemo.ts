/** An empty folder, no key: from the welcome text to a rising reward, without contacting any other computer. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { workbenchUrl } from "../../workbench/browser.ts";
import { type Connection, connectionsOf, isLoopback } from "../../workbench/connections.ts";
import { descendants } from "../../workbench/processes.ts";
import type { Stage } from "../journey.ts";
import { type Journey, until } from "../journey.ts";
import { rewardsOf, runIn, trainerOf } from "../runFiles.ts";

const SAMPLE_MS = 150;
const RISE = 0.12;

export const localDemo: Journey = {
  name: "localDemo",
  // Connections through a proxy fail here instead of leaving unnoticed.
  server: { env: { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9" } },
  async run({ workbench, page, server, folder, step, pictures }) {
    const watch = watchConnections(server);
    const run = runIn(folder);
    try {
      await step("the welcome text offers the demo", async () => {
        await workbench.show("Tinker RL");
        await workbench.view("Runs").getByText("Your runs will appear here").waitFor();
        await pictures("welcome");
      });

      await step("one click writes a configuration, starts, and opens the dashboard", async () => {
        await workbench.view("Runs").getByText("Start Local Demo").click();
        await workbench.notification("Starting the local demo: wrote tinker-config.yaml").waitFor();
        await pictures("starting");
        // The first appears until the trainer has a folder, which may be only a moment.
        await workbench.row(/^train tinker-config\.yaml, starting|^run tinker-config, /).waitFor();
        await workbench.row(/^run tinker-config, (preparing|running)/).waitFor({ timeout: 60_000 });
        watch.trainer(await until("the trainer's id", () => pidOf(run), 60_000));
        assert.match(
          readFileSync(join(folder, "tinker-config.yaml"), "utf8"),
          /model_name: local\//,
        );
        await workbench.panel().getByRole("tab", { name: "Overview" }).waitFor({ timeout: 60_000 });
        await workbench.panel().getByText("A small model on this computer learns").waitFor();
        await pictures("started");
      });

      await step("the reward rises, in the file and on the chart", async () => {
        const rise = await until("a rise of the reward", () => riseOf(rewardsOf(run)), 300_000);
        await workbench
          .panel()
          .getByText(/^Learning: /)
          .waitFor();
        await workbench.panel().locator("figure.reward canvas").first().waitFor();
        await pictures("rising");
        return `by ${rise.toFixed(2)} in ${rewardsOf(run).length} steps`;
      });

      await step("Stop on the dashboard saves and ends the run", async () => {
        await workbench.panel().getByRole("button", { name: "Stop", exact: true }).click();
        await workbench.row(/^run tinker-config, stopped.*can be resumed/).waitFor({
          timeout: 60_000,
        });
      });

      await step("no other computer was contacted", async () => {
        const { strangers, ofTrainer, samples } = watch.stop();
        assert.deepEqual(strangers, []);
        assert.deepEqual(ofTrainer, [], "the trainer and its services talk over files only");
        return `${samples} looks`;
      });

      await step("in a window without a folder it asks for one, and starts there", async () => {
        const other = join(folder, "other");
        mkdirSync(other);
        await page.goto(workbenchUrl(server.authority, null), { waitUntil: "domcontentloaded" });
        await workbench.ready();
        await workbench.command("Tinker RL: Start Local Demo (No Keys)");
        const use = page.locator(".quick-input-widget").getByText("Use This Folder");
        await use.waitFor();
        await workbench.input.fill(`${other}/`);
        // While it lists a folder the box ignores input.
        await until("the folder's window", async () => {
          await use.click({ timeout: 1_000 }).catch(() => undefined);
          return page.url().includes("folder=");
        });
        await workbench.ready();
        await workbench.notification("Starting the local demo: uses tinker-config.yaml").waitFor();
        await until("a step", () => rewardsOf(runIn(other)).length > 0, 60_000);
        await pictures("other folder");
      });
    } finally {
      watch.stop();
    }
  },
};

/** Polls the connections of the extension host and of the trainer with its services. */
function watchConnections({ hostPid }: Stage["server"]) {
  let trainer: number | null = null;
  let samples = 0;
  const strangers = new Map<string, Connection>();
  const ofTrainer = new Map<string, Connection>();
  const look = (): void => {
    const host = hostPid();
    const own = host === undefined ? [] : descendants(host).map(({ pid }) => pid);
    const training = trainer === null ? [] : descendants(trainer).map(({ pid }) => pid);
    for (const each of connectionsOf([...own, ...training])) {
      const key = `${each.pid} ${each.remote}`;
      if (!isLoopback(each.remote)) strangers.set(key, each);
      if (training.includes(each.pid)) ofTrainer.set(key, each);
    }
    samples += 1;
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    trainer: (pid: number) => {
      trainer = pid;
    },
    stop: () => {
      clearInterval(timer);
      return { strangers: [...strangers.values()], ofTrainer: [...ofTrainer.values()], samples };
    },
  };
}

function pidOf(run: string): number | false {
  try {
    return trainerOf(run);
  } catch {
    return false;
  }
}

/** How much the last three rewards exceed the first three; false while the difference is small. */
function riseOf(rewards: readonly number[]): number | false {
  if (rewards.length < 6) return false;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const rise = mean(rewards.slice(-3)) - mean(rewards.slice(0, 3));
  return rise >= RISE ? rise : false;
}
