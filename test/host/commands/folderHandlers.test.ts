import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { folderHandlers } from "../../../src/host/commands/folderHandlers.ts";
import { ON_SELECTION } from "../../../src/host/manifest/commandRow.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { resetUser, shownLabels, user } from "../fakeWindow.ts";
import { aRun, aRunList } from "../runEntries.ts";

const editor = vi.hoisted(() => ({
  called: [] as (readonly unknown[])[],
  remoteName: undefined as string | undefined,
  uiKind: 1,
  workspaceFolder: undefined as object | undefined,
  deleted: [] as (readonly unknown[])[],
  copied: [] as string[],
  /** Existing files. */
  files: [] as string[],
}));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  UIKind: { Desktop: 1, Web: 2 },
  env: {
    clipboard: { writeText: async (text: string) => void editor.copied.push(text) },
    get remoteName() {
      return editor.remoteName;
    },
    get uiKind() {
      return editor.uiKind;
    },
  },
  workspace: {
    getWorkspaceFolder: () => editor.workspaceFolder,
    fs: {
      delete: async (...call: readonly unknown[]) => void editor.deleted.push(call),
      stat: async ({ fsPath }: { readonly fsPath: string }) => {
        if (!editor.files.includes(fsPath)) throw new Error(`There is no ${fsPath}.`);
      },
    },
  },
  window: {
    ...(await import("../fakeWindow.ts")).fakeWindow,
    showOpenDialog: async () => [{ fsPath: "/shared/run" }],
  },
  commands: {
    executeCommand: async (...call: readonly unknown[]) => void editor.called.push(call),
  },
}));

const run = aRun({ folder: "/elsewhere/demo", isLive: false });
const other = aRun({ folder: "/elsewhere/other", name: "other", isLive: false });
const live = aRun({ folder: "/elsewhere/live", name: "live", isLive: true });
const runs = [run, other, live];
const selection: object[] = [];
const row = ({ folder }: { readonly folder: string }) => ({ kind: "run", folder });
const opened: string[] = [];
const { importRun, openRunFolder, deleteRun, copyRunPath } = folderHandlers({
  store: aRunList(runs),
  shownFolder: () => null,
  tree: { selection },
  labels: {
    forget: async () => undefined,
    isArchived: () => false,
    addOpened: async () => undefined,
  },
  open: (folder: string) => opened.push(folder),
  finder: { find: async () => undefined },
  fileSystem: createFileSystem(),
} as unknown as Parameters<typeof folderHandlers>[0]);
beforeEach(() => {
  Object.assign(editor, { remoteName: undefined, uiKind: 1, workspaceFolder: undefined });
  editor.called.splice(0);
  editor.deleted.splice(0);
  resetUser();
  user.presses = ["Move to Trash", "Delete Permanently"];
  selection.splice(0);
});

describe("a chosen run folder", () => {
  it.each([
    ["run.json", "an evaluation"],
    ["metrics.jsonl", "a run of the Python program"],
  ])("opens if it has a %s, like %s", async (name) => {
    editor.files = [join("/shared/run", name)];
    opened.splice(0);
    await importRun(undefined);
    expect(opened).toEqual(["/shared/run"]);
  });

  it("is refused if it has neither", async () => {
    editor.files = [];
    await expect(importRun(undefined)).rejects.toThrow("is not a run folder");
  });
});

describe("the Delete key in the Runs view", () => {
  it("applies to the selected runs", async () => {
    selection.push(row(other));
    await deleteRun(ON_SELECTION, undefined);
    expect(editor.deleted.map(([uri]) => uri)).toEqual([{ fsPath: other.folder }]);
  });

  it.each([
    ["nothing", [], ["demo", "other"]],
    [
      "a checkpoint below a run",
      [{ kind: "checkpoint", folder: other.folder, name: "c" }],
      ["other", "demo"],
    ],
  ])("asks for the run while %s is selected", async (_, rows, offered) => {
    selection.push(...rows);
    await deleteRun(ON_SELECTION, undefined);
    expect(shownLabels()).toEqual([offered]);
    expect([user.texts, editor.deleted]).toEqual([[], []]);
  });
});

describe("several selected runs", () => {
  const selected = [row(run), row(other)];

  it("are deleted together, after one prompt that names them", async () => {
    await deleteRun(row(run), selected);
    expect(user.texts).toEqual(["Delete 2 runs?"]);
    expect(user.details[0]).toMatch(/^\/elsewhere\/demo\n\/elsewhere\/other\nTheir metrics/);
    expect(editor.deleted.map(([uri]) => uri)).toEqual([
      { fsPath: run.folder },
      { fsPath: other.folder },
    ]);
  });

  it("are listed up to ten, with the number of the others", async () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      aRun({ folder: `/elsewhere/${index}`, isLive: false }),
    );
    runs.push(...many);
    await deleteRun(row(run), many.map(row));
    expect(user.details[0]).toMatch(/\n\/elsewhere\/9\nand 2 more\nTheir metrics/);
  });

  it("are all kept while one of them is in progress", async () => {
    await expect(deleteRun(row(run), [...selected, row(live)])).rejects.toThrow("live is running");
    expect([user.texts, editor.deleted]).toEqual([[], []]);
  });

  it("exclude the run of a checkpoint that is selected with them", async () => {
    await deleteRun(row(run), [row(run), { kind: "checkpoint", folder: other.folder, name: "c" }]);
    expect(user.texts[0]).toBe(`Delete the run ${run.name}?`);
    expect(editor.deleted.map(([uri]) => uri)).toEqual([{ fsPath: run.folder }]);
  });

  it("copy their paths, one per line", async () => {
    await copyRunPath(row(other), selected);
    expect(editor.copied).toEqual(["/elsewhere/demo\n/elsewhere/other"]);
  });
});

it("in the runs table are all affected by the menu of a row that is among them", async () => {
  editor.copied.splice(0);
  const chosen = [run, other].map(({ folder }) => runIdOf(folder));
  const inTable = ({ folder }: { readonly folder: string }) => {
    return { webview: "tinkerRL.runs", run: runIdOf(folder), chosen };
  };
  await copyRunPath(inTable(other));
  await copyRunPath(inTable(live));
  expect(editor.copied).toEqual(["/elsewhere/demo\n/elsewhere/other", "/elsewhere/live"]);
});

describe("a run that is deleted", () => {
  it.each([
    ["is moved to the trash of this computer", {}, "Move to Trash"],
    [
      "is deleted permanently over SSH, where there is no trash",
      { remoteName: "ssh-remote" },
      "Delete Permanently",
    ],
    ["is deleted permanently in a browser", { uiKind: 2 }, "Delete Permanently"],
  ])("%s", async (_, place, button) => {
    Object.assign(editor, place);
    await deleteRun({ folder: run.folder });
    expect(user.buttons).toEqual([[button]]);
    const useTrash = button === "Move to Trash";
    expect(editor.deleted).toEqual([[{ fsPath: run.folder }, { recursive: true, useTrash }]]);
  });
});

describe("the folder of a run outside the workspace", () => {
  it("is revealed by the system if the window runs on the same computer", async () => {
    await openRunFolder({ folder: run.folder });
    expect(editor.called).toEqual([["revealFileInOS", { fsPath: run.folder }]]);
  });

  it.each([
    ["over SSH", { remoteName: "ssh-remote" }],
    ["in WSL", { remoteName: "wsl" }],
    ["in a container", { remoteName: "dev-container" }],
    ["in a browser", { uiKind: 2 }],
  ])("opens in a new window %s, where the system cannot reveal it", async (_, place) => {
    Object.assign(editor, place);
    await openRunFolder({ folder: run.folder });
    const inNewWindow = { forceNewWindow: true };
    expect(editor.called).toEqual([["vscode.openFolder", { fsPath: run.folder }, inNewWindow]]);
  });

  it("is revealed in the Explorer if it is in the workspace, also in a remote window", async () => {
    Object.assign(editor, { remoteName: "wsl", workspaceFolder: {} });
    await openRunFolder({ folder: run.folder });
    expect(editor.called).toEqual([["revealInExplorer", { fsPath: run.folder }]]);
  });
});
