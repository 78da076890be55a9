import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  EMPTY_CATALOGUE,
  type EnvironmentEntry,
} from "../../../src/core/config/editing/catalogue/catalogue.ts";
import { EMBEDDED_ENVIRONMENTS } from "../../../src/core/config/editing/catalogue/embedded.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { OwnServerState } from "../../../src/host/runs/ownServers.ts";
import {
  type EnvironmentNode,
  EnvironmentsView,
} from "../../../src/host/views/environmentsView.ts";
import { listing } from "../../core/config/editing/aCatalogue.ts";
import { anEnvironment } from "../../server/catalogue/aList.ts";
import { fakeVscode } from "../fakeVscode.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

beforeEach(() => {
  fakeVscode.workspace.isTrusted = true;
});

const GROUP = { kind: "environmentGroup", group: "openreward" } as const;

function aView(named: readonly string[] = [], own: string | null = null) {
  const state = {
    hosted: null as readonly EnvironmentEntry[] | null,
    asked: [] as string[],
    server: { kind: "stopped" } as OwnServerState,
    failure: null as Error | null,
  };
  const refresh = async (what: string | null): Promise<void> => {
    state.asked.push(what ?? "environments");
    if (state.failure !== null) throw state.failure;
  };
  const quiet = () => ({ dispose: () => undefined });
  const view = new EnvironmentsView({
    catalogue: {
      current: () => ({
        ...EMPTY_CATALOGUE,
        local: { ...EMPTY_CATALOGUE.local, environments: listing(EMBEDDED_ENVIRONMENTS) },
        hosted: {
          ...EMPTY_CATALOGUE.hosted,
          environments: state.hosted === null ? null : listing(state.hosted),
        },
      }),
      ready: async () => undefined,
      onDidChange: quiet,
      refresh,
    },
    named: {
      named: async () =>
        named.map((name) => ({ name, server: own, config: "/tinker-config.yaml" })),
      onDidChange: quiet,
    },
    checks: { onDidChange: quiet, badge: () => null },
    servers: {
      onDidChange: quiet,
      state: () => state.server,
      prompts: async (_name, split, start, stop) => {
        state.asked.push(`${split} ${start}-${stop}`);
        return Array.from({ length: stop - start }, (_, offset) => `What is ${start + offset}?`);
      },
    },
  });
  return { view, state };
}

async function labels(view: EnvironmentsView, node?: EnvironmentNode): Promise<unknown> {
  return (await view.getChildren(node)).map((child) => view.getTreeItem(child).label);
}

describe("the Environments view", () => {
  it("lists the environments of the configurations first, if any", async () => {
    expect(await labels(aView().view)).toEqual(["Local", "OpenReward"]);
    expect(await labels(aView(["Owner/Game"]).view)).toEqual([
      "In this workspace's configurations",
      "Local",
      "OpenReward",
    ]);
  });

  it("shows splits and tools under an environment", async () => {
    const { view } = aView();
    const [, , local] = await view.getChildren({ kind: "environmentGroup", group: "local" });
    expect(local).toMatchObject({ name: "local/depot" });
    expect(await labels(view, local)).toEqual(["train", "test", "find", "pick", "ship"]);
  });

  it("sends no request just for being shown", async () => {
    const { view, state } = aView(["Owner/Game"]);
    for (const group of await view.getChildren()) {
      for (const row of await view.getChildren(group)) await view.getChildren(row);
    }
    expect(await labels(view, GROUP)).toEqual(["Load the environments of OpenReward"]);
    expect(state.asked).toEqual([]);
  });

  it("requests the list when its group is expanded, and not again", async () => {
    const { view, state } = aView();
    await view.expanded(GROUP);
    expect(state.asked).toEqual(["environments"]);
    state.hosted = [anEnvironment("b/b"), anEnvironment("a/a")];
    await view.expanded(GROUP);
    expect(state.asked).toHaveLength(1);
    expect(await labels(view, GROUP)).toEqual(["a/a", "b/b"]);
  });

  it("requests a hosted environment when it is expanded for the first time", async () => {
    const { view, state } = aView();
    const row = (name: string): EnvironmentNode => ({
      kind: "environment",
      group: "configs",
      name,
      server: null,
      config: null,
    });
    state.hosted = [anEnvironment("a/known", { splits: [], tools: [] })];
    for (const name of ["local/depot", "a/known", "a/new"]) await view.expanded(row(name));
    expect(state.asked).toEqual(["a/new"]);
  });

  it("shows in the tree why a request failed, and what to do", async () => {
    const { view, state } = aView();
    state.failure = new AppError("key-missing", "There is no key.");
    await view.expanded(GROUP);
    const [note] = await view.getChildren(GROUP);
    expect(note).toMatchObject({
      label: "Set an OpenReward key",
      description: "There is no key.",
      command: "setOpenRewardKey",
    });
    state.failure = new AppError("environment-billing", "No credit is left.");
    await view.refresh();
    expect(await view.getChildren(GROUP)).toMatchObject([
      { label: "Add credit at OpenReward", command: "openOpenRewardAccount" },
    ]);
    state.failure = new Error("no network");
    await view.refresh();
    expect(await labels(view, GROUP)).toEqual(["Try again"]);
  });

  it("refreshes the list and the hosted environments of configurations", async () => {
    const { view, state } = aView(["Owner/Game", "local/depot"]);
    await view.refresh();
    expect(state.asked.toSorted()).toEqual(["Owner/Game", "environments"]);
  });

  it("sends no request in Restricted Mode, and says so", async () => {
    fakeVscode.workspace.isTrusted = false;
    const { view, state } = aView(["Owner/Game"]);
    await view.expanded(GROUP);
    await view.refresh();
    expect(state.asked).toEqual([]);
    expect(await labels(view, GROUP)).toEqual(["Lookups are off in Restricted Mode"]);
  });

  it("explains how to browse the tasks of an environment whose server is not running", async () => {
    const { view } = aView(["maze"], "python maze.py");
    const [row] = await view.getChildren({ kind: "environmentGroup", group: "configs" });
    expect(await labels(view, row)).toEqual(["Server stopped"]);
  });

  it("shows 20 tasks of a running server, each with its prompt, and 20 more on request", async () => {
    const { view, state } = aView(["maze"], "python maze.py");
    const splits = [{ name: "train", tasks: 45 }];
    state.server = { kind: "ready", address: "http://127.0.0.1:1", splits };
    const [row] = await view.getChildren({ kind: "environmentGroup", group: "configs" });
    expect(await labels(view, row)).toEqual(["Server running", "train"]);
    const [, train] = await view.getChildren(row);
    const tasks = await view.getChildren(train);
    expect(tasks).toHaveLength(21);
    expect(tasks[3]).toMatchObject({ name: "maze", split: "train", task: 3, prompt: "What is 3?" });
    view.showMore(tasks.at(-1) ?? null);
    view.showMore(tasks.at(-1) ?? null);
    expect(await view.getChildren(train)).toHaveLength(45);
    expect(state.asked).toEqual(["train 0-20", "train 20-45"]);
  });

  it("numbers the tasks of an environment without a server to ask", async () => {
    const { view, state } = aView(["local/depot"]);
    const [row] = await view.getChildren({ kind: "environmentGroup", group: "configs" });
    const [train] = await view.getChildren(row);
    expect((await labels(view, train)) as string[]).toHaveLength(21);
    expect(state.asked).toEqual([]);
  });
});
