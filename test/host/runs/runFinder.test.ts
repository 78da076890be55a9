import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it, vi } from "vitest";
import { isReallyInWorkspace } from "../../../src/host/runs/runFinder.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";

const { workspace } = vi.hoisted(() => ({ workspace: { folder: "" } }));

vi.mock("vscode", () => ({
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  workspace: {
    get workspaceFolders() {
      return [{ uri: { fsPath: workspace.folder } }];
    },
    getWorkspaceFolder: ({ fsPath }: { readonly fsPath: string }) =>
      fsPath.startsWith(workspace.folder) ? {} : undefined,
  },
}));

const base = folderOfAllTests();
workspace.folder = join(base, "project");

beforeAll(async () => {
  await mkdir(join(workspace.folder, "runs"), { recursive: true });
  await mkdir(join(base, "elsewhere"));
  await symlink(join(base, "elsewhere"), join(workspace.folder, "link"));
  await symlink(join(workspace.folder, "runs"), join(workspace.folder, "inner"));
});

it.each([
  ["the folder itself", ".", true],
  ["a folder in it", "runs", true],
  ["a folder that does not exist yet", "runs/new", true],
  ["a link to a folder in it", "inner", true],
  ["a link that leads out of it", "link", false],
  ["a sibling folder", "../elsewhere", false],
])("a path is inside the workspace only if its target is: %s", async (_what, path, expected) => {
  expect(await isReallyInWorkspace(join(workspace.folder, path))).toBe(expected);
});
