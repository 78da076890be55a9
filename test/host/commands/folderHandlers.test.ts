import { beforeEach, describe, expect, it, vi } from "vitest";
import { folderHandlers } from "../../../src/host/commands/folderHandlers.ts";
import { aRun } from "../views/runEntries.ts";

const editor = vi.hoisted(() => ({
  called: [] as (readonly unknown[])[],
  remoteName: undefined as string | undefined,
  uiKind: 1,
  workspaceFolder: undefined as object | undefined,
}));
vi.mock("vscode", () => ({
  UIKind: { Desktop: 1, Web: 2 },
  Uri: { file: (path: string) => ({ path }) },
  l10n: { t: (text: string) => text },
  env: {
    get remoteName() {
      return editor.remoteName;
    },
    get uiKind() {
      return editor.uiKind;
    },
  },
  workspace: { getWorkspaceFolder: () => editor.workspaceFolder },
  commands: {
    executeCommand: async (...call: readonly unknown[]) => void editor.called.push(call),
  },
}));

const run = aRun({ folder: "/elsewhere/demo" });
const { openRunFolder } = folderHandlers({
  store: { get: () => run, runs: [run] },
} as unknown as Parameters<typeof folderHandlers>[0]);
beforeEach(() => {
  Object.assign(editor, { remoteName: undefined, uiKind: 1, workspaceFolder: undefined });
  editor.called.splice(0);
});

describe("the folder of a run outside of the workspace", () => {
  it("is shown by the system where the window runs on the computer of the run", async () => {
    await openRunFolder({ folder: run.folder });
    expect(editor.called).toEqual([["revealFileInOS", { path: run.folder }]]);
  });

  it.each([
    ["over SSH", { remoteName: "ssh-remote" }],
    ["in WSL", { remoteName: "wsl" }],
    ["in a container", { remoteName: "dev-container" }],
    ["in a browser", { uiKind: 2 }],
  ])(
    "is opened in a window of its own %s, where the system's files are others",
    async (_, place) => {
      Object.assign(editor, place);
      await openRunFolder({ folder: run.folder });
      const inNewWindow = { forceNewWindow: true };
      expect(editor.called).toEqual([["vscode.openFolder", { path: run.folder }, inNewWindow]]);
    },
  );

  it("is shown in the Explorer if it is in the workspace, also in a remote window", async () => {
    Object.assign(editor, { remoteName: "wsl", workspaceFolder: {} });
    await openRunFolder({ folder: run.folder });
    expect(editor.called).toEqual([["revealInExplorer", { path: run.folder }]]);
  });
});
