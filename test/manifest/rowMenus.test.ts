import { beforeEach, expect, it, vi } from "vitest";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { chatHandlers } from "../../src/host/commands/chatHandlers.ts";
import { checkpointHandlers } from "../../src/host/commands/checkpointHandlers.ts";
import { dashboardHandlers } from "../../src/host/commands/dashboardHandlers.ts";
import { environmentHandlers } from "../../src/host/commands/environmentHandlers.ts";
import { folderHandlers } from "../../src/host/commands/folderHandlers.ts";
import { playAndCheckHandlers } from "../../src/host/commands/playAndCheckHandlers.ts";
import { promptHandlers } from "../../src/host/commands/promptHandlers.ts";
import { reportHandlers } from "../../src/host/commands/reportHandlers.ts";
import { runListHandlers } from "../../src/host/commands/runListHandlers.ts";
import { runsTableHandlers } from "../../src/host/commands/runsTableHandlers.ts";
import { startHandlers } from "../../src/host/commands/startHandlers.ts";
import { steerHandlers } from "../../src/host/commands/steerHandlers.ts";
import { trajectoryHandlers } from "../../src/host/commands/trajectoryHandlers.ts";
import { configHandlers } from "../../src/host/config/configHandlers.ts";
import { COMMANDS, type CommandId, commandName } from "../../src/host/manifest/commandTable.ts";
import { registerCommands } from "../../src/host/vscode/registerCommands.ts";
import { aRun } from "../host/runEntries.ts";

/** An editor that records its prompts and the resulting actions. */
const editor = vi.hoisted(() => ({
  commands: new Map<string, (...args: readonly unknown[]) => unknown>(),
  asked: [] as string[],
  done: [] as string[],
}));
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../host/fakeVscode.ts");
  const ask = (what: string) => async (text: unknown) => {
    editor.asked.push(typeof text === "string" ? text : what);
    return undefined;
  };
  const act = (what: string) => async () => {
    editor.done.push(what);
  };
  return {
    ...fakeVscode,
    Uri: Object.assign(class {}, fakeVscode.Uri),
    env: {
      ...fakeVscode.env,
      clipboard: { writeText: act("clipboard") },
      openExternal: act("openExternal"),
    },
    commands: {
      registerCommand: (name: string, handler: () => unknown) => editor.commands.set(name, handler),
      executeCommand: act("command"),
    },
    workspace: {
      isTrusted: true,
      registerTextDocumentContentProvider: () => undefined,
      onDidChangeTextDocument: () => undefined,
      onDidCloseTextDocument: () => undefined,
      getWorkspaceFolder: () => undefined,
      getConfiguration: () => ({ get: () => undefined }),
      findFiles: async () => [],
      asRelativePath: (path: string) => path,
      openTextDocument: async () => ({
        getText: () => "",
        languageId: "yaml",
        uri: { path: "/a" },
      }),
      fs: { delete: act("delete") },
    },
    window: {
      activeTextEditor: undefined,
      visibleTextEditors: [],
      createTextEditorDecorationType: () => undefined,
      onDidChangeVisibleTextEditors: () => undefined,
      showQuickPick: ask("a list"),
      showInputBox: ask("a box"),
      showInformationMessage: ask("a message"),
      showWarningMessage: ask("a question"),
      showErrorMessage: ask("an error"),
      setStatusBarMessage: () => undefined,
      showTextDocument: act("document"),
    },
    languages: { registerCodeLensProvider: () => undefined },
    tasks: { executeTask: act("task") },
  };
});

const NO_NAMES = { local: {}, hosted: { environments: null } };

const SWEEP = { id: "s", name: "demo-sweep", combination: 0, combinations: 3, settings: [] };

/** One run of each kind: the only matching run is not the one whose row was clicked, or must not be. */
function register(): void {
  const folder = (name: string) => ({ name, folder: `/runs/${name}` });
  const runs = [
    aRun(folder("amber")),
    aRun({ ...folder("dill"), phase: "paused" }),
    aRun({ ...folder("basil"), isLive: false, phase: "stopped" }),
    aRun({ ...folder("cedar"), isLive: false, phase: "stopped", steps: 200, totalSteps: 200 }),
  ].map((run) => ({ ...run, file: { configPath: "/tinker-config.yaml", sweep: SWEEP } as never }));
  const act = (what: string) => async () => {
    editor.done.push(what);
  };
  const chosen = {
    store: {
      runs,
      get: (path: string) => runs.find((run) => run.folder === path) ?? null,
      refresh: async () => undefined,
      send: act("send"),
    },
    labels: {
      isArchived: (path: string) => path.endsWith("cedar"),
      setArchived: act("archive"),
      rename: act("rename"),
      forget: act("forget"),
    },
    shownFolder: () => null,
    tree: { selection: [] },
  };
  const selection = [{ folder: "/runs/cedar", step: 1, group: 0, rollout: 0 }];
  const view = { redraw: () => undefined, refresh: () => undefined, selection };
  const document = { getText: () => "" };
  const parts = {
    ...chosen,
    tree: view,
    trees: { trajectories: { view }, environments: { view } },
    checkpoints: view,
    runsView: view,
    tasks: { taskOf: () => ({}) },
    demo: {},
    open: act("open"),
    table: { open: act("open") },
    dashboard: { open: act("open") },
    trajectories: {},
    trainings: { active: [], waiting: [], sweep: () => undefined },
    saved: { read: async () => [], usable: async () => [] },
    changes: {},
    catalogue: { current: () => NO_NAMES },
    server: { request: act("insert") },
    register: (part: unknown) => part,
    document,
  } as never; // only the parts that a call without a row uses
  const handlers = {
    ...steerHandlers(parts),
    ...folderHandlers(parts),
    ...runListHandlers(parts),
    ...runsTableHandlers(parts),
    ...reportHandlers(parts),
    ...startHandlers(parts),
    ...dashboardHandlers(parts),
    ...trajectoryHandlers(parts),
    ...checkpointHandlers(parts),
    ...chatHandlers(parts),
    ...environmentHandlers(parts),
    ...playAndCheckHandlers(parts),
    ...promptHandlers(parts),
    ...configHandlers(parts),
  };
  registerCommands(handlers as never, {
    log: { error: (text: string) => editor.asked.push(`error: ${text}`) } as never,
    redactor: new Redactor(),
  });
}

beforeEach(() => {
  for (const list of [editor.asked, editor.done]) list.length = 0;
  register();
});

/** Except for the harmless one, which is in the view's title too. */
const onRows = [...COMMANDS].flatMap(([id, { menus = [] }]) =>
  id !== "openDashboard" && menus.some(({ menu }) => menu === "view/item/context")
    ? [id as CommandId]
    : [],
);

it("many commands are in row menus", () => {
  expect(onRows.length).toBeGreaterThan(15);
});

// For a row that has just been redrawn, VS Code passes `undefined`, or its serialized form.
it.each(onRows.flatMap((id) => [[id, undefined] as const, [id, null] as const]))(
  "%s on an unknown row (%s) shows a prompt, and does nothing",
  async (id, target) => {
    await editor.commands.get(commandName(id))?.(target, undefined);
    expect(editor.asked.filter((text) => text.startsWith("error"))).toEqual([]);
    const question =
      /^(a list|a box|Select an? |In the Runs view, select an? |There are no checkpoints|No checkpoints here|There is no configuration)/;
    expect([id, editor.asked]).toEqual([id, [expect.stringMatching(question)]]);
    expect(editor.done).toEqual([]);
  },
);

it("a palette command still uses the only matching run", async () => {
  await editor.commands.get(commandName("pauseRun"))?.();
  expect(editor.asked).toEqual([]);
  expect(editor.done).toEqual(["send"]);
});

it("reports a row that leads nowhere", async () => {
  await editor.commands.get(commandName("copyCheckpointPath"))?.({
    folder: "/runs/amber",
    name: "c1",
  });
  await editor.commands.get(commandName("openEnvironmentPage"))?.({ name: "not a name" });
  expect(editor.asked).toEqual([
    expect.stringContaining("c1"),
    expect.stringContaining("not a name"),
  ]);
  expect(editor.done).toEqual([]);
});

it("reports the row of a run that no longer exists", async () => {
  await editor.commands.get(commandName("copyRunPath"))?.({ folder: "/runs/gone" });
  expect(editor.asked).toEqual([expect.stringContaining("/runs/gone")]);
});
