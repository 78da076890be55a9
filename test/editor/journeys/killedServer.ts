/** The window's server is killed at all kinds of moments: the window continues with the next one, and nothing is lost. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { showRunPart, showSearchPart } from "../../workbench/dashboardPlaces.ts";
import { appears } from "../../workbench/workbench.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
import { chooseInMenu } from "../rowMenu.ts";
import { runIn, stepsOf, stepsTo, trainerOf } from "../runFiles.ts";
import { tinkerRlServer } from "../tinkerRlServer.ts";

const CONFIG = localConfig({ max_steps: 4000, batch_size: 4, save_every: 2 });
/** A server that ends soon after its start is restarted after a pause of up to 10 s. */
const BACK_MS = 90_000;

export const killedServer: Journey = {
  name: "killedServer",
  isByHand: true,
  prepare: (folder) => writeFiles(folder, { "tinker-config.yaml": CONFIG }),
  async run(stage) {
    const { workbench, page, folder, step } = stage;
    const panel = workbench.panel();
    const run = runIn(folder);
    const steps = panel.locator(".header .steps");
    const isFollowed = async (): Promise<void> => {
      await panel.getByRole("tab", { name: "Overview" }).click({ timeout: BACK_MS });
      const before = stepsOf(run).length;
      await until(
        "the dashboard to follow",
        async () => {
          const shown = await steps.textContent({ timeout: 2_000 }).catch(() => null);
          return Number(/step ([\d,]+)/.exec(shown ?? "")?.[1]?.replace(",", "") ?? 0) > before;
        },
        BACK_MS,
      );
    };

    await step("killed while a start is prepared: the training starts", async () => {
      await workbench.show("Tinker RL");
      await workbench.open("tinker-config.yaml");
      await until("a server", () => tinkerRlServer(stage.server));
      await workbench.command("Tinker RL: Start Training");
      kill(stage);
      await until("two steps", () => stepsOf(run).length >= 2, 90_000);
    });

    await step("killed while the dashboard opens, and twice while it follows a run", async () => {
      kill(stage);
      await isFollowed();
      for (const _ of ["first", "second"]) {
        await killNext(stage);
        await isFollowed();
      }
    });

    await step("killed on each page of the dashboard", async () => {
      await killNext(stage);
      await panel.getByRole("tab", { name: "Rollouts" }).click({ timeout: BACK_MS });
      await panel.locator(".grid-row").first().waitFor({ timeout: BACK_MS });
      await panel.locator(".grid-row").first().dblclick();
      await panel.locator(".replay").waitFor();
      await killNext(stage);
      await isFollowed();
      await showRunPart(panel, "Timeline", BACK_MS);
      await killNext(stage);
      await showRunPart(panel, "Configuration", BACK_MS);
      await panel.locator(".config-table").waitFor({ timeout: BACK_MS });
    });

    await step("killed during a search: the next server finds the results", async () => {
      await panel.getByRole("tab", { name: "Rollouts" }).click();
      await panel.getByRole("button", { name: "Back to the list" }).click();
      await showSearchPart(panel);
      const box = panel.getByRole("searchbox", { name: "Search in rollouts" });
      await box.fill("calc");
      kill(stage);
      await until(
        "rollouts",
        async () => {
          // The page was reloaded at the same place.
          if ((await box.count()) === 0) await showSearchPart(panel).catch(() => undefined);
          if ((await box.inputValue({ timeout: 2_000 }).catch(() => "calc")) === "") {
            await box.fill("calc");
          }
          return (await panel.locator(".snippet").count()) > 0;
        },
        BACK_MS,
      );
    });

    await step("killed while the runs table is read", async () => {
      await workbench.command("Tinker RL: Open Runs Table");
      await panel.getByText("1 run", { exact: true }).waitFor();
      await killNext(stage);
      await panel.getByText("1 run", { exact: true }).waitFor({ timeout: BACK_MS });
      await panel.locator(".grid-row").first().waitFor({ timeout: BACK_MS });
    });

    await step("killed while a configuration is edited: its error is marked", async () => {
      // In the editor that is already open.
      await workbench.command("View: Focus First Editor Group");
      await workbench.open("tinker-config.yaml");
      await page.keyboard.press("Control+End");
      await page.keyboard.type("\nbatch_sise: 3");
      await killNext(stage);
      const mark = page.locator(".squiggly-error, .squiggly-warning").first();
      await mark.waitFor({ timeout: BACK_MS });
      await page.keyboard.type("\nmax_st");
      const offered = page.locator(".suggest-widget.visible").getByText("max_steps").first();
      for (const _ of ["first", "second"]) {
        await killNext(stage);
        await until(
          "a completion",
          async () => {
            await page.keyboard.press("Escape");
            await page.keyboard.press("Control+Space");
            return await appears(offered, 3_000);
          },
          BACK_MS,
        );
      }
      await page.keyboard.press("Escape");
      await workbench.command("File: Revert File");
    });

    await step("killed while a prompt is rendered, and a configuration is resolved", async () => {
      for (const isKilled of [true, false]) {
        await workbench.command("Tinker RL: Preview Prompt");
        if (isKilled) await killNext(stage);
        else await workbench.tab("prompt of local calculator, train 0").waitFor();
        await workbench.open("tinker-config.yaml");
      }
      for (const isKilled of [true, false]) {
        await workbench.command("Tinker RL: Show Effective Configuration");
        if (isKilled) await killNext(stage);
        else await workbench.tab("Effective Configuration").waitFor();
        await workbench.open("tinker-config.yaml");
      }
    });

    await step(
      "killed while a setting of the run changes, and it is paused, continued and saved",
      async () => {
        for (const command of ["Pause After This Step", "Continue Run", "Save Checkpoint Now"]) {
          await workbench.command(`Tinker RL: ${command}`);
          await killNext(stage);
        }
        const before = stepsOf(run).length;
        await until("another step", () => stepsOf(run).length > before, 60_000);
      },
    );

    await step("the trainer was not affected, and every step exists once", async () => {
      const trainer = trainerOf(run);
      process.kill(trainer, 0);
      const written = stepsOf(run);
      assert.deepEqual(written, stepsTo(written.length));
    });

    await step(
      "killed while a checkpoint is deleted: it still exists, or is shown as deleted",
      async () => {
        await workbench.command("Tinker RL: Stop and Save");
        await workbench.row(/^run tinker-config, stopped/).waitFor({ timeout: 60_000 });
        await workbench.unfold("Checkpoints");
        const question = workbench.dialog().getByRole("button", { name: "Delete Checkpoint" });
        const row = workbench.row(/^checkpoint .*, periodic/).first();
        await chooseInMenu(stage, row, { title: "Delete Checkpoint", effect: question });
        await question.click();
        kill(stage);
        await until("a server", () => tinkerRlServer(stage.server), BACK_MS);
        for (const line of lines(join(run, "checkpoints.jsonl")))
          assert.doesNotThrow(() => JSON.parse(line));
      },
    );

    await step("killed twice in a chat, which is restarted", async () => {
      await workbench.command("View: Close All Editors");
      const task = page.locator(".quick-input-list").getByText("Task of local/calculator");
      await chooseInMenu(stage, workbench.row(/^checkpoint .*, /).first(), {
        title: "Chat with Checkpoint",
        effect: task,
      });
      await task.click();
      await workbench.answer("3");
      for (const _ of ["first", "second"]) {
        await panel.getByText("task: local/calculator train 3").waitFor({ timeout: BACK_MS });
        await killNext(stage);
        await panel.getByText("This conversation ended with it.").waitFor();
        await panel.getByRole("button", { name: "Begin again" }).click();
      }
      await panel.getByText("task: local/calculator train 3").waitFor({ timeout: BACK_MS });
    });

    await step("killed while a report is written: the next one is complete", async () => {
      const file = join(folder, "tinker-config-report.html");
      for (const isKilled of [true, false]) {
        await until("a server", () => tinkerRlServer(stage.server), BACK_MS);
        await chooseInMenu(stage, workbench.row(/^run tinker-config/), {
          title: "Export Report…",
          effect: page.locator(".quick-input-widget:visible input"),
        });
        await page.keyboard.press("Enter");
        if (isKilled) await killNext(stage);
      }
      await until(
        "the report",
        () => existsSync(file) && readFileSync(file, "utf8").endsWith("</html>\n"),
        BACK_MS,
      );
      return `${killed} servers killed`;
    });
  },
};

let killed = 0;

function kill({ server }: Stage): void {
  const pid = tinkerRlServer(server);
  if (pid === undefined) return;
  killed += 1;
  process.kill(pid, "SIGKILL");
}

/** Waits for a server, and kills it. */
async function killNext(stage: Stage): Promise<void> {
  await until("a server", () => tinkerRlServer(stage.server), BACK_MS);
  kill(stage);
}

function lines(path: string): readonly string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
