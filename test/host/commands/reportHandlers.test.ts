import { expect, it, vi } from "vitest";
import { reportHandlers } from "../../../src/host/commands/reportHandlers.ts";
import { resetUser, user } from "../fakeWindow.ts";
import { aRun, aRunList } from "../runEntries.ts";

const editor = vi.hoisted(() => ({
  remoteName: undefined as string | undefined,
  workspaceFolder: undefined as object | undefined,
  file: "",
  shown: [] as string[],
}));
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  return {
    ...fakeVscode,
    UIKind: { Desktop: 1, Web: 2 },
    env: {
      openExternal: async () => editor.shown.push("in the browser"),
      get remoteName() {
        return editor.remoteName;
      },
      uiKind: 1,
    },
    commands: { executeCommand: async (name: string) => editor.shown.push(name) },
    workspace: {
      ...fakeVscode.workspace,
      fs: { writeFile: async () => undefined },
      getWorkspaceFolder: () => editor.workspaceFolder,
    },
    window: {
      ...(await import("../fakeWindow.ts")).fakeWindow,
      showSaveDialog: async () => ({ path: editor.file }),
      showTextDocument: async () => editor.shown.push("in the editor"),
    },
  };
});

it.each([
  ["/w/report.html", {}, "in the browser"],
  ["/w/report.html", { remoteName: "ssh-remote", workspaceFolder: {} }, "revealInExplorer"],
  ["/tmp/report.html", { remoteName: "ssh-remote" }, "in the editor"],
  ["/w/report.md", { workspaceFolder: {} }, "in the editor"],
] as const)("a report opens where it can be seen: %s with %j: %s", async (file, window, place) => {
  resetUser();
  user.presses = ["Open"];
  Object.assign(editor, { remoteName: undefined, workspaceFolder: undefined, file, shown: [] });
  Object.assign(editor, window);
  const run = aRun();
  const { exportReport } = reportHandlers({
    store: aRunList([run]),
    server: { request: async () => ({ ok: true, value: "the report" }) },
    tree: { selection: [] },
    shownFolder: () => null,
    labels: { isArchived: () => false },
  } as unknown as Parameters<typeof reportHandlers>[0]);
  await exportReport({ folder: run.folder }, undefined);
  expect(editor.shown).toEqual([place]);
});
