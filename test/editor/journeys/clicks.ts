/** Clicks on rows while runs progress and every view is redrawn constantly: each opens the row that was clicked. */

import assert from "node:assert/strict";
import { hostname } from "node:os";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import type { RunLease } from "../../../src/core/runFolder/runLease.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { aRecord, rolloutFacts, stepFacts } from "../../core/runFolder/builders.ts";
import { startedRun } from "../../fakes/startedRun.ts";
import { localConfig } from "../configs.ts";
import { writeFiles } from "../folders.ts";
import { type Journey, type Stage, until } from "../journey.ts";

const CLICKS = 60;
const ROLLOUT_CLICKS = 20;
/** The first has ended, the others are written constantly. */
const NAMES = ["amber", "basil", "clove"] as const;
const ROLLOUTS = 4;
/** A click must not hit the actions at the end of a row. */
const LABEL = { position: { x: 60, y: 8 } };

const fileSystem = createFileSystem();

export const clicks: Journey = {
  name: "clicks",
  async prepare(folder) {
    writeFiles(folder, { "tinker-config.yaml": localConfig() });
    await (await writeRun(folder, "amber")).update({ phase: "done" });
  },
  async run(stage) {
    const underWay = [await writeRun(stage.folder, "basil"), await writeRun(stage.folder, "clove")];
    const writing = new AbortController();
    const written = Promise.all(underWay.map((lease) => keepAlive(lease, writing.signal)));
    try {
      await clickRows(stage);
    } finally {
      writing.abort();
      await written;
    }
  },
};

async function clickRows({ workbench, step, picture }: Stage): Promise<void> {
  const row = (name: string) => workbench.row(new RegExp(`^run ${name},`));
  const failures: string[] = [];

  await step("three runs are listed, two of them in progress", async () => {
    await workbench.show("Tinker RL");
    await workbench.unfold("Trajectories");
    for (const name of NAMES) await row(name).waitFor();
  });
  const tab = workbench.page.locator(".tabs-container .tab.active");
  const focused = workbench.view("Trajectories").locator(".pane-header .description");
  const shown = async (): Promise<string> =>
    (await Promise.all([tab.textContent(), focused.textContent()]))
      .map((text) => (text ?? "").trim())
      .join();
  const isShown = async (name: string) => (await shown()) === [name, name].join();

  await step(`${CLICKS} clicks on runs open the clicked run, in all views`, async () => {
    for (let count = 0; count < CLICKS; count += 1) {
      const name = NAMES[count % NAMES.length] ?? "amber";
      await row(name).click(LABEL);
      await until("the run", () => isShown(name), 15_000).catch(async () => {
        const selected = workbench.view("Runs").locator(".monaco-list-row.selected");
        const row = await selected.textContent().catch(() => "no row is selected");
        failures.push(`click ${count + 1} on ${name}: ${await shown()}, selected: ${row}`);
        await picture(`wrong-${count + 1}`);
      });
    }
    await picture("runs");
    return `${failures.length} went wrong`;
  });

  await step(`${ROLLOUT_CLICKS} clicks on rollouts open the clicked rollout`, async () => {
    const before = failures.length;
    await row("basil").click(LABEL);
    // Until then the tree shows the steps of the previous run.
    await until("the run", () => isShown("basil"));
    for (const name of [/^Step 1, mean/, /^calculator train 3/]) {
      await workbench.expand(workbench.row(name));
    }
    for (let count = 0; count < ROLLOUT_CLICKS; count += 1) {
      const rollout = 1 + (count % ROLLOUTS);
      await workbench.row(new RegExp(`^rollout ${rollout},`)).click(LABEL);
      const name = new RegExp(`^Step 1, group 1, rollout ${rollout}\\b`);
      const title = workbench.panel().getByRole("heading", { name });
      await title
        .waitFor({ timeout: 15_000 })
        .catch(() => failures.push(`click ${count + 1} on rollout ${rollout}`));
    }
    await picture("rollouts");
    return `${failures.length - before} went wrong`;
  });

  await step("no errors occurred", async () => {
    assert.deepEqual(failures, []);
    assert.equal(await workbench.notification("not found").count(), 0);
  });
}

/** A run with one step, in progress. */
async function writeRun(folder: string, name: string): Promise<RunLease> {
  const lease = await startedRun(fileSystem, `${folder}/.tinker-rl/runs`, {
    name,
    pid: process.pid,
    host: hostname(),
    configPath: `${folder}/${name}.yaml`,
  });
  const store = createRolloutStore({
    fileSystem: lease.files,
    folder: lease.folder,
    redactor: new Redactor(),
  });
  const all = Array.from({ length: ROLLOUTS }, (_, rollout) => ({ group: 0, rollout }));
  for (const place of all) await store.addRollout(aRecord({ step: 0, ...place }));
  const scores = all.map((place) => ({ ...place, advantage: 0, trainingUse: "trained" as const }));
  await store.addScores(0, scores);
  const facts = stepFacts({ step: 0, rollouts: all.map(() => rolloutFacts()) });
  await appendMetrics(lease.files, lease.folder, buildMetricsRow(facts));
  await lease.update({ phase: "running" });
  return lease;
}

/** Like a trainer, but much more often. */
async function keepAlive(lease: RunLease, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The folder is deleted if the journey fails.
    await lease.update().catch(() => undefined);
    await systemClock.sleep(60);
  }
}
