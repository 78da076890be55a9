/** Opens and shows hostile folders with the extension's own code, like the extension host: `hostileHost.js PLAN REPORT`. */

import { join, resolve } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { readEnv } from "../../src/host/keys/envFile.ts";
import { workspaceEnvFiles } from "../../src/host/keys/workspaceEnvFiles.ts";
import { launchConfig } from "../../src/host/runs/launchConfig.ts";
import { watchLaunch } from "../../src/host/runs/launchWatch.ts";
import { followAlarms } from "../../src/host/runs/runAlarms.ts";
import { RunFinder } from "../../src/host/runs/runFinder.ts";
import { RunLabels } from "../../src/host/runs/runLabels.ts";
import { ReportedRuns } from "../../src/host/runs/runList.ts";
import { followRunsOf } from "../../src/host/server/keptRequest.ts";
import type { Server } from "../../src/host/server/server.ts";
import { createCheckpointsView } from "../../src/host/views/checkpointsView.ts";
import { RunsView } from "../../src/host/views/runsView.ts";
import { savedCheckpoints } from "../../src/host/views/savedCheckpoints.ts";
import { TrajectoriesView } from "../../src/host/views/trajectoriesView.ts";
import { workspaceEnvironments } from "../../src/host/views/workspaceEnvironments.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { LaunchStore } from "../../src/node/launch/launchStore.ts";
import type { DashboardRun } from "../../src/server/dashboard/dashboardRun.ts";
import { DashboardSession } from "../../src/server/dashboard/dashboardSession.ts";
import { createTextReader } from "../../src/server/dashboard/textReader.ts";
import type { DashboardQuestion, HostMessage } from "../../src/shared/dashboardMessages.ts";
import { anEditor } from "../server/anEditor.ts";
import { KEPT_NOWHERE } from "../server/dashboard/pageSettings.ts";
import { askAll } from "./hostile/askAll.ts";
import { CaseRunner } from "./hostile/caseRunner.ts";
import { found, Uri } from "./hostile/fakeEditor.ts";

type Show = (shown: unknown) => void;

const runner = new CaseRunner(process.argv.slice(2));
const fileSystem = createFileSystem();
const clock = systemClock;
/** As many rows as a person would look at. */
const MAX_ROWS = 3_000;

const NO_OVERRIDES = { overrides: [], settingOverrides: [], project: null } as const;
const faults: unknown[] = [];
const onError = (error: unknown): void => void faults.push(error);
const memento = { get: () => undefined, update: async () => undefined };
const labels = new RunLabels({ everywhere: memento, workspace: memento });
const { server } = anEditor();
const parts = { server: server as Server, onError }; // these ask it only
const store = new ReportedRuns({ ...parts, labels });
const follow = followRunsOf(parts.server, parts.onError);
const saved = savedCheckpoints({ fileSystem, runIdOf: () => "" });
/** In threads, as in the editor. */
const texts = createTextReader({
  programFolder: resolve("dist/trainer"),
  folders: () => [],
  openedFolders: () => [],
  listing: () => ({ id: "r", name: "r" }),
});
const trainings = { active: [], waiting: [], onDidChange: () => ({ dispose: () => undefined }) };

/** Everything that a view draws, down to the levels that a person expands. */
async function drawAll<Row>(
  view: {
    getChildren(row?: Row): Row[] | Promise<Row[]>;
    getTreeItem(row: Row): unknown;
  },
  show: Show,
): Promise<number> {
  let rows = 0;
  const draw = async (row?: Row): Promise<void> => {
    const children = await view.getChildren(row);
    for (const child of children) {
      rows += 1;
      if (rows > MAX_ROWS) return;
      show(view.getTreeItem(child));
      await draw(child);
    }
    // In the editor these requests cross a process boundary.
    await turn();
  };
  await draw();
  return rows;
}

const isLeaf = (row: { readonly kind: string } | undefined): boolean =>
  row?.kind === "rollout" || row?.kind === "more";

async function showRun(folder: string, show: Show): Promise<string> {
  const run: DashboardRun = {
    id: "r",
    name: "r",
    follower: new RunFollower({ fileSystem, folder }),
  };
  const answered = new Set<number>();
  let facts: Extract<HostMessage, { kind: "init" }>["facts"] | null = null;
  let isComplete = false;
  let errors = 0;
  const session = new DashboardSession(
    {
      clock,
      fileSystem,
      isProcessAlive: () => false,
      post: (message) => {
        show(message);
        if (message.kind === "init") facts = message.facts;
        if (message.kind === "append" && message.isComplete) isComplete = true;
        if (message.kind === "error") errors += 1;
        if ("id" in message && message.id !== null) answered.add(message.id);
      },
      runs: {
        list: async () => [{ id: "r", name: "r", state: "done" }],
        find: async () => run,
        evaluated: () => null,
      },
      command: async () => undefined,
      tokenTexts: async (_, ids) => Array.from(ids, String),
      texts,
      shortenPath: (path) => path,
      settings: KEPT_NOWHERE,
    },
    { run, isVisible: true },
  );
  const until = async (isTrue: () => boolean, ms: number): Promise<void> => {
    for (const end = Date.now() + ms; !isTrue() && Date.now() < end; ) await sleep(2);
  };
  session.receive({ kind: "ready" });
  await until(() => facts !== null || errors > 0, 10_000);
  if (facts === null) {
    session.dispose();
    return "not shown";
  }
  const { rolloutSteps } = facts as { readonly rolloutSteps: readonly number[] }; // set by a message meanwhile
  const steps = [...new Set([0, ...rolloutSteps.slice(-2)])];
  let id = 0;
  for (const question of questions(steps)) {
    id += 1;
    const own = id;
    session.receive({ kind: "question", id: own, question });
    await until(() => answered.has(own), 1_000);
  }
  await until(() => isComplete || errors > 0, 300);
  session.dispose();
  return "shown";
}

const A_QUERY = { text: "a", isRegex: false, roles: [] };

function questions(steps: readonly number[]): readonly DashboardQuestion[] {
  const ofSteps = steps.flatMap((step): readonly DashboardQuestion[] => [
    { ask: "rollouts", source: "training", step },
    { ask: "rollout", key: { source: "training", step, group: 0, rollout: 0 } },
    { ask: "rollout", key: { source: "evaluation", step, group: 0, rollout: 0 } },
    { ask: "tokens", key: { source: "training", step, group: 0, rollout: 0 }, stream: 0, from: 0 },
    { ask: "search", query: A_QUERY, scope: { source: "training", step } },
    { ask: "rollouts", source: "evaluation", step },
  ]);
  return [...ofSteps, { ask: "config" }, { ask: "superseded", attempt: 1, names: ["loss"] }];
}

async function showRollouts(folder: string, show: Show): Promise<string> {
  const view = new TrajectoriesView({
    ...parts,
    follow,
    showMessage: show,
  });
  try {
    view.show(folder);
    const children = async (row?: Parameters<typeof view.getChildren>[0]) =>
      isLeaf(row) ? [] : view.getChildren(row);
    const rows = await drawAll(
      { getChildren: children, getTreeItem: (row) => view.getTreeItem(row) },
      show,
    );
    return `${rows === 0 ? "no" : "some"} rows`;
  } finally {
    view.dispose();
  }
}

async function showConfig(folder: string, show: Show): Promise<string> {
  const paths = ["tinker-config.yaml", "tinker-config.json"].map((name) => join(folder, name));
  found.configs = paths.map((path) => Uri.file(path)) as never; // the addresses of the fake editor
  const finder = new RunFinder({
    store: new ReportedRuns({ ...parts, labels }),
    onError,
  });
  const environments = workspaceEnvironments(finder);
  try {
    await finder.find();
    show(await environments.named());
  } finally {
    finder.dispose();
    environments.dispose();
  }
  const envPath = await workspaceEnvFiles.inFolder(folder);
  if (envPath !== null) readEnv((await workspaceEnvFiles.read(envPath)) ?? "");
  for (const configPath of paths) {
    await launchConfig({ ...NO_OVERRIDES, configPath, resume: null });
    await askAll(configPath, show);
  }
  return "read";
}

await runner.measure({ id: null, kind: "all runs listed" }, async (show) => {
  await store.look([runner.plan.runs]);
  show(store.runs);
  const missing = runner.each("run").filter(({ folder }) => store.get(folder) === null);
  if (missing.length > 0) throw new Error(`${missing.length} runs are hidden: ${missing[0]?.what}`);
  return "listed";
});
await runner.measure({ id: null, kind: "all runs drawn" }, async (show) => {
  const alarms = followAlarms({ store, follow, onError });
  const runs = new RunsView({
    store,
    trainings: trainings as never, // it asks for no more of them
    labels,
    alarms,
    saved,
  });
  await drawAll(runs, show);
  await drawAll(createCheckpointsView({ store, saved }), show);
  return "drawn";
});
for (const { id, kind, folder } of runner.each("run")) {
  await runner.measure({ id, kind }, async (show) => {
    const end = await showRun(folder, show);
    await showRollouts(folder, show);
    const configPath = store.get(folder)?.file?.configPath ?? "";
    await launchConfig({ ...NO_OVERRIDES, configPath, resume: folder });
    return end;
  });
}
const launches = new LaunchStore(runner.plan.launches);
await runner.measure({ id: null, kind: "all launches listed" }, async () => {
  await launches.list();
  return "listed";
});
for (const { id, kind, folder } of runner.each("launch")) {
  await runner.measure({ id, kind }, async (show) => {
    const end = await watchLaunch(folder, { onOutput: show, onFolder: () => undefined });
    show(end);
    return "watched";
  });
}
for (const { id, kind, folder } of runner.each("config")) {
  await runner.measure({ id, kind }, (show) => showConfig(folder, show));
}
await runner.measure({ id: null, kind: "errors of views" }, async (show) => {
  for (const fault of faults) show(fault instanceof Error ? fault.message : fault);
  return `${faults.length}`;
});
runner.end();
