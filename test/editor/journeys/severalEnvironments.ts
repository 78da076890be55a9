/**
 * A run with two environments and evaluations: evaluations open from the tree, the picker, the table and the chart. It writes more
 * metrics than a VS Code message has arguments: all are shown, live and after a reload.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MetricColumns } from "../../../src/core/runFolder/metrics/metricColumns.ts";
import { isMetricsRow } from "../../../src/core/runFolder/reader.ts";
import { formatValue } from "../../../webview-ui/charts/format.ts";
import { moveToMark } from "../../workbench/findMark.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";
import { runIn, stepsOf } from "../runFiles.ts";

const STEPS = 6;
const ENVIRONMENTS = ["local/calculator", "local/depot"];
const CONFIG = JSON.stringify({
  model_name: "local/tiny-tool",
  environments: Object.fromEntries(
    ENVIRONMENTS.map((name) => [
      name,
      { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0, max_turns: 6 },
    ]),
  ),
  batch_size: 8,
  max_steps: STEPS,
  evaluation: {
    splits: Object.fromEntries(ENVIRONMENTS.map((name) => [name, ["test"]])),
    every: 2,
    num_samples: 8,
    temperatures: [0, 1],
  },
});

export const severalEnvironments: Journey = {
  name: "severalEnvironments",
  prepare: (folder) => writeFiles(folder, { "tinker-config.yaml": CONFIG }),
  async run(stage) {
    const { workbench, folder, step, pictures } = stage;
    const run = runIn(folder);

    await step("the run finishes while the dashboard shows it", async () => {
      await workbench.show("Tinker RL");
      await workbench.unfold("Trajectories");
      await workbench.command("Tinker RL: Start Training");
      await workbench.row(/^run tinker-config, running/).waitFor({ timeout: 60_000 });
      await until("all steps", () => stepsOf(run).length === STEPS, 120_000);
      await workbench.row(/^run tinker-config, done/).waitFor({ timeout: 60_000 });
    });
    await step("every metric of the folder is shown live, as it was written", async () => {
      return `${await compareMetrics(stage)} metrics`;
    });
    await pictures("overview");
    await step(
      "the reward chart separates environments, and hard tasks from easy ones",
      async () => {
        const chart = workbench.panel().locator("figure.reward");
        const curves = chart.getByLabel("Curves", { exact: true });
        await curves.selectOption({ label: "By environment" });
        await chart.locator(".legend").getByText(/depot/).first().waitFor();
        await curves.selectOption({ label: "By difficulty" });
        await chart.locator(".legend").getByText("hardest third").waitFor();
        await pictures("difficulty");
        await curves.selectOption({ label: "All tasks" });
      },
    );
    await openEvaluations(stage);
    await step("every metric is shown after a reload of the window", async () => {
      await workbench.reload();
      await workbench.panel().locator(".reward canvas").waitFor({ timeout: 60_000 });
      return `${await compareMetrics(stage)} metrics`;
    });
  },
};

/** Starts and ends on the overview. */
async function openEvaluations({ workbench, page, step, pictures }: Stage): Promise<void> {
  const panel = workbench.panel();
  const picker = panel.locator(".step-navigator select");
  const shown = panel.locator(".filter-count");
  const chosen = (value: string) => until(value, async () => (await picker.inputValue()) === value);
  // 8 tasks of 2 environments, each sampled in 2 ways.
  const part = shown.getByText(/^\d+ of \d+ rollouts/);

  await step("an evaluation in the tree opens its rollouts", async () => {
    const unfold = async (name: RegExp): Promise<void> => {
      await workbench.row(name).first().click();
      await page.keyboard.press("ArrowRight");
    };
    await unfold(new RegExp(`^Evaluation after ${STEPS} steps`));
    await unfold(/^calculator test \d+, greedy/);
    await workbench
      .row(/^rollout 1, /)
      .first()
      .click();
    await panel.getByRole("heading", { name: /^Evaluation after 6, group/ }).waitFor();
    await pictures("evaluationTree");
  });
  await step("the evaluation is in the dashboard's picker, among the steps", async () => {
    await panel.getByRole("button", { name: "Back to the list" }).click();
    await chosen(`evaluation/${STEPS}`);
    await picker.selectOption("evaluation/4");
    await shown.getByText(/^\d+ rollouts$/).waitFor();
    await pictures("evaluationPicker");
  });
  await step("a mark on the chart opens its evaluation", async () => {
    await panel.getByRole("tab", { name: "Overview" }).click();
    await panel.locator(".reward canvas").waitFor();
    await moveToMark(page.mouse, panel, new RegExp(`Evaluation after ${STEPS}`));
    await pictures("evaluationMark", () =>
      moveToMark(page.mouse, panel, new RegExp(`Evaluation after ${STEPS}`)),
    );
    await page.mouse.down();
    await page.mouse.up();
    await chosen(`evaluation/${STEPS}`);
    await part.waitFor();
    await pictures("evaluationOfMark");
    await panel.getByRole("button", { name: "Clear filters" }).click();
    await panel.getByRole("tab", { name: "Overview" }).click();
  });
}

/** Adds charts of the last metrics, which the page receives last, and compares their values; returns the number of metrics. */
async function compareMetrics({ workbench, folder }: Stage): Promise<number> {
  const metrics = new MetricColumns();
  const text = readFileSync(join(runIn(folder), "metrics.jsonl"), "utf8");
  for (const line of text.split("\n").slice(0, -1)) {
    const row: unknown = JSON.parse(line);
    if (isMetricsRow(row)) metrics.add(row);
  }
  const { names } = metrics;
  assert.ok(names.length > 256, `${names.length} metrics`);
  const panel = workbench.panel();
  await panel.getByRole("button", { name: "Choose metrics" }).click();
  await panel.getByText(/^\d+ of \d+ shown$/).waitFor();
  const reported = names.filter((name) => metrics.latest(name) !== null);
  const chosen = [0, 0.25, 0.5, 0.75, 1].map(
    (at) => reported[Math.floor(at * (reported.length - 1))] ?? "",
  );
  for (const name of chosen) {
    await panel.getByRole("searchbox").fill(`^${name}$`);
    await panel.getByRole("checkbox", { name, exact: true }).check();
    const value = panel.locator("figure.small", { has: panel.getByTitle(name, { exact: true }) });
    const shown = value.locator("b.value").first();
    const expected = formatValue(metrics.latest(name) ?? Number.NaN);
    await until(`${name} as ${expected}`, async () => (await shown.textContent()) === expected);
    await panel.getByRole("checkbox", { name, exact: true }).uncheck();
  }
  await panel.getByRole("searchbox").fill("");
  await panel.getByRole("button", { name: "Choose metrics" }).click();
  return names.length;
}
