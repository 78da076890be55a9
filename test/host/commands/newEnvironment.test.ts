import { beforeEach, expect, it, vi } from "vitest";
import { ENVIRONMENT_REQUESTS } from "../../../src/api/environments.ts";
import { newEnvironmentHandlers } from "../../../src/host/commands/newEnvironment.ts";
import { fakeVscode } from "../fakeVscode.ts";
import { resetUser, user } from "../fakeWindow.ts";

interface FakeUri {
  readonly path: string;
}

const { commands, files } = vi.hoisted(() => ({
  commands: [] as string[],
  files: new Map<string, string>(),
}));
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  const { fakeWindow } = await import("../fakeWindow.ts");
  const { posix } = await import("node:path");
  const uri = (path: string) => ({ scheme: "file", path, fsPath: path });
  return {
    ...fakeVscode,
    window: Object.assign(fakeWindow, { showTextDocument: async () => undefined }),
    commands: { executeCommand: async (name: string) => void commands.push(name) },
    Uri: { joinPath: (at: FakeUri, ...parts: string[]) => uri(posix.join(at.path, ...parts)) },
    workspace: Object.assign(fakeVscode.workspace, {
      asRelativePath: ({ path }: FakeUri) => posix.basename(path),
      fs: {
        readDirectory: async () => [],
        stat: async ({ path }: FakeUri) => {
          if (!files.has(path)) throw new Error("There is no file.");
        },
        writeFile: async ({ path }: FakeUri, bytes: Uint8Array) =>
          void files.set(path, new TextDecoder().decode(bytes)),
      },
    }),
  };
});

beforeEach(() => {
  resetUser();
  files.clear();
  fakeVscode.workspace.workspaceFolders = undefined;
});

/** Creates an environment in a folder, without its packages. */
async function createFiles(name = "rhyme"): Promise<void> {
  fakeVscode.workspace.workspaceFolders = [{ uri: { scheme: "file", path: "/w", fsPath: "/w" } }];
  user.types = [name];
  const value = { name: "rhyme", folder: "environments/rhyme", entry: {}, config: "model_name: a" };
  const request = async (method: string) => {
    const isCreated = method === ENVIRONMENT_REQUESTS.create;
    return { ok: true, value: isCreated ? value : [["uv", "venv"]] };
  };
  await newEnvironmentHandlers({ request } as never).newEnvironment();
}

it("in a window without a folder offers to open one", async () => {
  const { newEnvironment } = newEnvironmentHandlers({} as never); // no request is sent
  user.presses = ["Open Folder"];
  await newEnvironment();
  expect(user.texts).toEqual(["A new environment needs a folder. Open one first."]);
  expect(commands).toEqual(["vscode.openFolder"]);
});

it("an empty name asks nothing else and writes nothing", async () => {
  await createFiles("");
  expect([user.lists, [...files]]).toEqual([[], []]);
});

it("without its packages an environment is not called ready", async () => {
  user.picks = [["question"], ["Write the Files Only"]];
  await createFiles();
  expect(user.texts.at(-1)).toBe(
    "The files of rhyme are written. Its packages are not installed yet. Install them with: uv venv. tinker-config.yaml trains in it.",
  );
  expect(user.buttons).toEqual([["Copy Command", "Open Configuration"]]);
  expect([...files]).toEqual([["/w/tinker-config.yaml", "model_name: a"]]);
});

it("a configuration that is there is changed only if the user wants it", async () => {
  files.set("/w/tinker-config.yaml", "own");
  user.picks = [["question"], ["Write the Files Only"], ["Leave tinker-config.yaml Unchanged"]];
  await createFiles();
  expect(user.texts.at(-1)).toMatch(/uv venv\. tinker-config\.yaml is unchanged\.$/);
  expect([...files]).toEqual([["/w/tinker-config.yaml", "own"]]);
});
