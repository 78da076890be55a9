/** A run continues without its window: nothing is lost after a reload, a killed extension host, or a killed trainer. */

import assert from "node:assert/strict";
import { showRunPart } from "../../workbench/dashboardPlaces.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
import { runIn, stepsOf, stepsTo, trainerOf } from "../runFiles.ts";

const STEPS = 24;
const CONFIG = { "tinker-config.yaml": localConfig({ max_steps: STEPS, batch_size: 12 }) };

export const reload: Journey = {
  name: "reload",
  prepare: (folder) => writeFiles(folder, CONFIG),
  async run(stage) {
    const { workbench, server, folder, step, pictures } = stage;
    const run = runIn(folder);
    let trainer = 0;

    await step("a run is in progress", async () => {
      await workbench.show("Tinker RL");
      await workbench.unfold("Trajectories");
      await workbench.command("Tinker RL: Start Training");
      await until("two steps", () => stepsOf(run).length >= 2, 60_000);
      await workbench.panel().getByText(`of ${STEPS}`).waitFor();
      trainer = trainerOf(run);
    });

    await step("it survives a reload of the window, and the new window joins it", async () => {
      await workbench.reload();
      await workbench.row(/^run tinker-config, running/).waitFor({ timeout: 60_000 });
      await continuesAndIsShown(stage, run, trainer);
    });

    await step("it survives the end of the extension host", async () => {
      const host = await until("the extension host", () => server.hostPid());
      process.kill(host, "SIGKILL");
      await until("another host", () => isOther(server.hostPid(), host), 60_000);
      await continuesAndIsShown(stage, run, trainer);
      assert.equal(await dashboards(stage).count(), 1, "one, and it is not the deaf one");
    });

    await step("a killed trainer leaves an interrupted run and a resume offer", async () => {
      process.kill(trainer, "SIGKILL");
      await workbench.row(/^run tinker-config, interrupted.*can be resumed/).waitFor({
        timeout: 60_000,
      });
      await workbench.notification("The run tinker-config was interrupted").waitFor();
      await workbench.panel().getByText("interrupted").first().waitFor();
      await workbench.statusItem("Tinker RL interrupted").waitFor();
      const noneUnderWay = async () => (await workbench.row(/in progress/).count()) === 0;
      await until("no step in progress", noneUnderWay, 10_000);
      await pictures("interrupted");
    });

    await step("Resume in the notification continues with the next step", async () => {
      const before = stepsOf(run).length;
      await workbench
        .notification("The run tinker-config was interrupted")
        .getByRole("button", { name: "Resume" })
        .click();
      await workbench.row(/^run tinker-config, running/).waitFor({ timeout: 60_000 });
      await until("another step", () => stepsOf(run).length > before, 60_000);
      await workbench.command("Tinker RL: Stop and Save");
      await workbench.row(/^run tinker-config, stopped/).waitFor({ timeout: 60_000 });
    });

    await step("a dashboard of an ended run is up to date again after the next kill", async () => {
      const host = await until("the extension host", () => server.hostPid());
      process.kill(host, "SIGKILL");
      await until("another host", () => isOther(server.hostPid(), host), 60_000);
      // Only the host knows the configuration: a dashboard without it has none to show.
      await until("the panel", () => showsConfig(stage), 60_000);
      assert.equal(await dashboards(stage).count(), 1);
    });

    await step("every step exists once", async () => {
      assert.deepEqual(stepsOf(run), stepsTo(stepsOf(run).length));
    });

    const waiting = workbench.row(/^train tinker-config\.yaml, waits for another run/);
    const startInQueue = async (): Promise<void> => {
      const queue = workbench.rows.filter({ hasText: "Queue" });
      await workbench.command("Tinker RL: Start Training", queue);
      await pictures("second start");
      await queue.click();
      await waiting.waitFor();
    };

    await step(
      "a second start of the same configuration waits, and can be canceled in its row",
      async () => {
        await workbench.command("Tinker RL: Start Training");
        await until("a step", () => stepsOf(runIn(folder, "tinker-config-2")).length >= 1, 60_000);
        await startInQueue();
        await waiting.hover();
        await waiting.getByRole("button", { name: "Cancel Start" }).click();
        await waiting.waitFor({ state: "detached" });
      },
    );

    await step("a start that waits during a reload is reported as not started", async () => {
      await startInQueue();
      // The editor writes an extension's state after a moment.
      await workbench.page.waitForTimeout(2_000);
      await workbench.reload();
      const notice = workbench.notification("train tinker-config.yaml waited for another run");
      await notice.getByRole("button", { name: "Start Training" }).waitFor();
      await pictures("waited");
    });
  },
};

/** The same process keeps training, the views follow it, and one terminal has every line once. */
async function continuesAndIsShown(stage: Stage, run: string, trainer: number): Promise<void> {
  const { workbench, page } = stage;
  const before = stepsOf(run).length;
  await until("two more steps", () => stepsOf(run).length >= before + 2, 60_000);
  assert.equal(trainerOf(run), trainer);
  await until(
    "the dashboard to follow",
    async () => {
      const shown = await workbench
        .panel()
        .locator(".header .steps")
        .textContent({ timeout: 2000 })
        .catch(() => null);
      return Number(/step (\d+)/.exec(shown ?? "")?.[1] ?? 0) > before;
    },
    60_000,
  );
  await workbench.row(new RegExp(`^Step ${before + 1}, mean`)).waitFor();
  await workbench.command("Tasks: Show Running Tasks");
  await workbench.terminal().getByText("reward").first().waitFor();
  const terminals = page.locator(".terminal-tabs-entry", { hasText: "tinker-config" });
  assert.ok((await terminals.count()) <= 1, "one terminal, and none that is frozen");
  const text = await workbench.terminalText();
  const lines = [...text.matchAll(/^step +(\d+)\/\d+/gm)].map((line) => Number(line[1]));
  assert.ok(lines.length > before, `the terminal shows ${lines.length} of ${before} steps`);
  assert.deepEqual(
    lines,
    stepsTo(lines.length).map((each) => each + 1),
  );
  assert.equal(text.split("run folder").length, 2, "shown from its beginning, and once");
}

function dashboards({ page }: Stage) {
  return page.locator(".tabs-container .tab", { hasText: "tinker-config" });
}

async function showsConfig({ workbench }: Stage): Promise<boolean> {
  const panel = workbench.panel();
  try {
    await panel.getByRole("tab", { name: "Overview" }).click({ timeout: 2000 });
    await showRunPart(panel, "Configuration", 2000);
    await panel.locator(".config-table").waitFor({ timeout: 2000 });
    return true;
  } catch {
    return false;
  }
}

function isOther(pid: number | undefined, before: number): boolean {
  return pid !== undefined && pid !== before;
}
