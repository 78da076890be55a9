import { beforeEach, expect, it, vi } from "vitest";
import type { OwnServerReport } from "../../../src/api/environments.ts";
import { OwnServers } from "../../../src/host/runs/ownServers.ts";
import { fakeVscode } from "../fakeVscode.ts";

const editor = vi.hoisted(() => ({ log: "", save: (_document: unknown): void => undefined }));
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  const onDidSaveTextDocument = (listener: (document: unknown) => void) => {
    editor.save = listener;
    return { dispose: () => undefined };
  };
  Object.assign(fakeVscode.workspace, { onDidSaveTextDocument });
  return {
    ...fakeVscode,
    window: {
      createOutputChannel: () => ({
        append: (text: string) => {
          editor.log += text;
        },
        appendLine: (text: string) => {
          editor.log += `${text}\n`;
        },
        show: () => undefined,
        dispose: () => undefined,
      }),
    },
  };
});

const MAZE = { name: "maze", config: "/project/tinker-config.yaml" };
const READY = { kind: "ready", address: "http://127.0.0.1:1", splits: [] } as const;

beforeEach(() => {
  editor.log = "";
  fakeVscode.workspace.isTrusted = true;
});

/** The window's server, which keeps started servers running until they are canceled, or refuses to start them. */
function servers() {
  const state = { starts: 0, refusal: null as string | null };
  const request = (_method: string, _parameters: object, options: unknown): Promise<unknown> => {
    const { token, onProgress } = options as {
      token: { onCancel: () => void };
      onProgress: (report: OwnServerReport) => void;
    };
    state.starts += 1;
    onProgress({ kind: "code", folder: "/project/environments/maze" });
    if (state.refusal !== null) {
      const error = { code: "environment-unavailable", message: state.refusal };
      return Promise.resolve({ ok: false, error });
    }
    onProgress({ kind: "log", text: "Listening.\n" });
    onProgress(READY);
    return new Promise((resolve) => {
      token.onCancel = () => resolve({ ok: true, value: null });
    });
  };
  const own = new OwnServers({
    server: { request: request as never },
    createLaunchRequest: async () => ({}) as never, // passed through unchanged
    onError: (error) => {
      throw error;
    },
  });
  return { own, state };
}

const save = (fsPath: string, languageId = "python"): void =>
  editor.save({ uri: { fsPath }, languageId });

it("a server runs from its start until it is stopped, and its output is stored", async () => {
  const { own } = servers();
  expect(own.state("maze").kind).toBe("stopped");
  await own.start(MAZE);
  expect(own.state("maze")).toBe(READY);
  await own.stop("maze");
  expect(own.state("maze").kind).toBe("stopped");
  expect(editor.log).toContain("Listening.");
});

it("a server is restarted when Python code in its folder is saved, and on no other save", async () => {
  const { own, state } = servers();
  await own.start(MAZE);
  save("/project/environments/other/environment.py");
  save("/project/environments/maze/README.md", "markdown");
  save("/project/environments/maze/environment.py");
  await vi.waitFor(() => expect(state.starts).toBe(2));
  await vi.waitFor(() => expect(own.state("maze")).toBe(READY));
  await own.stop("maze");
  save("/project/environments/maze/environment.py");
  expect(state.starts).toBe(2);
});

it("a server reports why it did not start, and starts with the next save", async () => {
  const { own, state } = servers();
  state.refusal = "SyntaxError: invalid syntax";
  await expect(own.start(MAZE)).rejects.toThrow("invalid syntax");
  expect(own.state("maze")).toEqual({ kind: "failed", message: state.refusal });
  state.refusal = null;
  save("/project/environments/maze/environment.py");
  await vi.waitFor(() => expect(own.state("maze")).toBe(READY));
});

it("a server stops for a training of the same configuration, with a message", async () => {
  const { own } = servers();
  await own.start(MAZE);
  await own.stopForTraining("/project/other.yaml");
  expect(own.state("maze")).toBe(READY);
  await own.stopForTraining(MAZE.config);
  expect(own.state("maze").kind).toBe("stopped");
  expect(editor.log).toContain("a run starts its own");
});

it("a server serves the environment of its own configuration, not one of the same name", async () => {
  const { own } = servers();
  expect(own.addressOf(MAZE)).toBeNull();
  await own.start(MAZE);
  expect(own.addressOf(MAZE)).toBe(READY.address);
  expect(own.addressOf({ ...MAZE, config: "/other/tinker-config.yaml" })).toBeNull();
});

it("no server starts in Restricted Mode", async () => {
  fakeVscode.workspace.isTrusted = false;
  const { own, state } = servers();
  await own.start(MAZE);
  expect(state.starts).toBe(0);
});
