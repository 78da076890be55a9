import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as vscode from "vscode";
import type { TrainingRequest } from "../../../src/host/runs/trainings.ts";
import {
  TaskProvider,
  type TaskProviderOptions,
  taskName,
} from "../../../src/host/task/taskProvider.ts";
import type { TrainTask } from "../../../src/host/task/trainTask.ts";
import { aTraining } from "./openedTerminal.ts";

/** The tasks that VS Code runs. */
const executions = vi.hoisted((): { task: { definition: object } }[] => []);
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: { terminals: [] },
  tasks: { taskExecutions: executions },
  TaskScope: { Workspace: 2 },
  TaskRevealKind: { Always: 1, Never: 3 },
  TaskPanelKind: { Dedicated: 2 },
  CustomExecution: class {
    readonly start: unknown;
    constructor(start: unknown) {
      this.start = start;
    }
  },
  Task: class {
    readonly definition: unknown;
    readonly execution: unknown;
    constructor(
      definition: unknown,
      _scope: unknown,
      _name: string,
      _source: string,
      run: unknown,
    ) {
      this.definition = definition;
      this.execution = run;
    }
  },
}));

const CONFIG = join("/project", "tinker-config.yaml");
const LAUNCH = "1700000000000-0123abcd";
const begun: (readonly [string, unknown])[] = [];
beforeEach(() => {
  begun.length = 0;
  executions.length = 0;
});

function provider(options: Partial<TaskProviderOptions> = {}): TaskProvider {
  const open = (kind: string) => (request: unknown) => {
    begun.push([kind, request]);
    return aTraining();
  };
  return new TaskProvider({
    configs: async () => [],
    hasStages: async () => false,
    openTraining: open("training"),
    openSweep: open("sweep"),
    joinTraining: async (launch) => open("joined")(launch),
    ...options,
  });
}

/** Runs a task like VS Code: `resolved` is its definition with variables substituted. */
async function run(
  tasks: TaskProvider,
  definition: Pick<TrainTask, "config"> & Partial<TrainTask>,
  resolved: object = definition,
  folder?: vscode.WorkspaceFolder,
): Promise<string> {
  const { execution } = tasks.training(definition, folder) as unknown as {
    execution: { start: (resolved: object) => Promise<{ open(): void; onDidWrite: Listen }> };
  };
  const terminal = await execution.start({ type: "tinker-rl", ...resolved });
  let text = "";
  terminal.onDidWrite((piece) => {
    text += piece;
  });
  terminal.open();
  await new Promise(setImmediate);
  return text;
}

type Listen = (listener: (text: string) => void) => void;

it("a task trains with its variables substituted", async () => {
  await run(provider(), { config: "$" + "{file}" }, { config: CONFIG, runName: "mine" });
  const expected: Partial<TrainingRequest> = { configPath: CONFIG, overrides: ["run_name=mine"] };
  expect(begun).toEqual([["training", expect.objectContaining(expected)]]);
});

describe("a training that another window has started", () => {
  it.each([false, true])("is joined without a new start, with stages: %s", async (hasStages) => {
    const tasks = provider({ hasStages: async () => hasStages });
    await run(tasks, { config: CONFIG, attach: LAUNCH });
    expect(begun).toEqual([["joined", LAUNCH]]);
  });

  it("is not restarted if it is no longer known", async () => {
    const tasks = provider({ joinTraining: async () => null });
    expect(await run(tasks, { config: CONFIG, attach: LAUNCH })).toContain("ended long ago");
    expect(begun).toEqual([]);
  });
});

it("a task trains the stages of a configuration in order", async () => {
  await run(provider({ hasStages: async () => true }), { config: CONFIG });
  expect(begun.map(([kind]) => kind)).toEqual(["sweep"]);
});

it("the task of a continued sweep leaves out the overrides of the setting", async () => {
  await vscode.workspace.getConfiguration().update("overrides", { wandb: "disabled" });
  const definition = { config: CONFIG, grid: { seed: "1,2" }, overrides: { batch_size: "2" } };
  await run(provider(), definition);
  await run(provider(), { ...definition, sweep: "the-sweep" });
  await vscode.workspace.getConfiguration().update("overrides", {});
  expect(begun.map(([, request]) => request)).toEqual([
    expect.objectContaining({ overrides: ["wandb=disabled", "batch_size=2"] }),
    expect.objectContaining({ overrides: ["batch_size=2"] }),
  ]);
});

it("a task has its folder in its name if the window has several, and only once", async () => {
  const folders = ["alpha", "beta"].map((name) => ({
    name,
    uri: { fsPath: `/${name}` },
    index: 0,
  }));
  const [, beta] = folders as unknown as vscode.WorkspaceFolder[]; // only the members that names need
  Object.assign(vscode.workspace, { workspaceFolders: folders });
  await run(provider(), { config: "c.yaml" }, { config: "c.yaml" }, beta);
  Object.assign(vscode.workspace, { workspaceFolders: undefined });
  const title = "train c.yaml (beta)";
  expect(begun).toEqual([["training", expect.objectContaining({ title })]]);
  expect(taskName(title, beta)).toBe("train c.yaml");
});

it("a task differs for VS Code from an identical training that is running", () => {
  const definitions = ["first", "second", "third"].map(() => {
    const task = provider().training({ config: CONFIG }, undefined);
    executions.push({ task });
    return task.definition;
  });
  const first = { type: "tinker-rl", action: "train", config: CONFIG };
  expect(definitions).toEqual([first, { ...first, instance: 2 }, { ...first, instance: 3 }]);
});
