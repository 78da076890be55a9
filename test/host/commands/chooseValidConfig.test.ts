import { beforeEach, expect, it, vi } from "vitest";
import { chooseValidConfig } from "../../../src/host/commands/chooseValidConfig.ts";

const COMPLETE = `model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0 }
max_steps: 4
batch_size: 2
`;

const editor = vi.hoisted(() => ({
  text: "",
  isDirty: false,
  isUntitled: false,
  overrides: {} as Record<string, unknown>,
  save: async (uri: unknown): Promise<unknown> => uri,
  shown: [] as string[],
}));
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  class Uri {
    readonly path: string;
    constructor(path: string) {
      this.path = path;
    }
    toString() {
      return this.path;
    }
  }
  return {
    ...fakeVscode,
    Uri,
    workspace: {
      ...fakeVscode.workspace,
      asRelativePath: ({ path }: Uri) => path,
      findFiles: async () => ["/a.tinker.yaml", "/beside.tinker.yaml"].map((path) => new Uri(path)),
      getConfiguration: () => ({ get: () => editor.overrides }),
      openTextDocument: async (uri: Uri) => ({
        uri,
        isUntitled: editor.isUntitled,
        isDirty: editor.isDirty && uri.path === "/a.yaml",
        save: async () => (await editor.save(uri)) !== undefined,
        fileName: uri.path,
        getText: () => editor.text,
      }),
      save: (uri: unknown) => editor.save(uri),
    },
    window: {
      activeTextEditor: undefined,
      visibleTextEditors: [{ document: { uri: "/beside.tinker.yaml" } }],
      showQuickPick: async (items: readonly { readonly label: string }[]) => {
        editor.shown.push(...items.map(({ label }) => label));
      },
      showTextDocument: async () => void editor.shown.push("the file"),
      setStatusBarMessage: (text: string) => void editor.shown.push(text),
    },
    commands: { executeCommand: async (name: string) => void editor.shown.push(name) },
  };
});

beforeEach(() => {
  Object.assign(editor, {
    text: COMPLETE,
    isDirty: false,
    isUntitled: false,
    overrides: {},
    shown: [],
  });
  editor.save = async (uri) => uri;
});

const choose = async () => {
  const vscode = await import("vscode");
  const uri = new (vscode.Uri as unknown as new (path: string) => typeof vscode.Uri.prototype)(
    "/a.yaml",
  );
  return (await chooseValidConfig({ runs: [] }, uri))?.path;
};

it("uses a valid configuration", async () => {
  expect(await choose()).toBe("/a.yaml");
});

it("uses the name under which a new one was saved", async () => {
  const vscode = await import("vscode");
  Object.assign(editor, { isDirty: true, isUntitled: true });
  editor.save = async () =>
    new (vscode.Uri as unknown as new (path: string) => unknown)("/saved.yaml");
  expect(await choose()).toBe("/saved.yaml");
});

it("uses none whose changes could not be saved", async () => {
  editor.isDirty = true;
  editor.save = async () => undefined;
  expect(await choose()).toBeUndefined();
});

it("opens one with errors instead", async () => {
  editor.text = COMPLETE.replace("model_name", "model_nam");
  expect(await choose()).toBeUndefined();
  expect(editor.shown.join()).toContain("the file,workbench.actions.view.problems");
});

it("applies the overrides of the setting, as a start does", async () => {
  editor.text = COMPLETE.replace("batch_size: 2\n", "");
  expect(await choose()).toBeUndefined();
  editor.overrides = { batch_size: 2 };
  expect(await choose()).toBe("/a.yaml");
});

it("offers the configuration in the active editor, also when its effective version is shown", async () => {
  await chooseValidConfig({ runs: [] }, undefined);
  expect(editor.shown).toEqual(["/beside.tinker.yaml", "/a.tinker.yaml"]);
});
