import { beforeEach, describe, expect, it, vi } from "vitest";
import { localDemo } from "../../../src/host/commands/localDemo.ts";
import { FakeMemory } from "../fakeMemory.ts";

const editor = vi.hoisted(() => ({
  /** The folder that the person picks; undefined = none. */
  picked: undefined as object | undefined,
  written: [] as string[],
  workspaceFolders: ["alpha", "beta"].map((name) => ({ name, uri: { path: `/${name}` } })),
}));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  Uri: {
    joinPath: ({ path }: { readonly path: string }, name: string) => ({ path: `${path}/${name}` }),
  },
  workspace: {
    get workspaceFolders() {
      return editor.workspaceFolders;
    },
    fs: {
      stat: () => Promise.reject(new Error("There is no such file.")),
      writeFile: async ({ path }: { readonly path: string }) => void editor.written.push(path),
    },
  },
  window: { showWorkspaceFolderPick: async () => editor.picked },
}));
beforeEach(() => void editor.written.splice(0));

describe("in a window with several folders", () => {
  it("writes the demo into the picked folder", async () => {
    editor.picked = editor.workspaceFolders[1];
    const demo = await localDemo(new FakeMemory()).prepare();
    expect(demo).toMatchObject({ uri: { path: "/beta/tinker-config.yaml" }, isNew: true });
    expect(editor.written).toEqual(["/beta/tinker-config.yaml"]);
  });

  it("writes nothing if no folder is picked", async () => {
    editor.picked = undefined;
    expect(await localDemo(new FakeMemory()).prepare()).toBeUndefined();
    expect(editor.written).toEqual([]);
  });
});
