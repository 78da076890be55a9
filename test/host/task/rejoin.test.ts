import { expect, it, vi } from "vitest";
import { isStaleTerminal, rejoinLaunches } from "../../../src/host/task/rejoin.ts";

const { alpha, terminals } = vi.hoisted(() => ({
  alpha: { name: "alpha", uri: { fsPath: "/alpha" }, index: 0 },
  terminals: [] as object[],
}));
vi.mock("../../../src/node/control/client.ts", () => ({
  ControlClient: {
    sendOnce: async () => ({ status: { pid: 1, attached: 0 } }),
  },
}));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  workspace: { workspaceFolders: [alpha], getWorkspaceFolder: () => alpha },
  window: { terminals },
  tasks: { executeTask: async () => undefined },
}));

it.each([
  ["in a window with a folder", "train c.yaml"],
  ["in a multi-root workspace that has a single folder", "train c.yaml (alpha)"],
])("closes the terminal that a reload left behind %s", async (_, name) => {
  const terminal = { name, creationOptions: {}, processId: Promise.resolve(-1), dispose: vi.fn() };
  const other = { ...terminal, name: "train other.yaml", dispose: vi.fn() };
  terminals.splice(0, Infinity, terminal, other);
  const launch = {
    folder: "/launches/1",
    request: { title: "train c.yaml", training: { configPath: "/alpha/c.yaml" } },
    file: { control: {} },
    isAlive: true,
  };
  await rejoinLaunches({
    launches: { list: async () => [launch] },
    tasks: { training: () => ({}) },
    isAttached: () => false,
    log: { info: () => undefined },
  } as never); // only the members it reads
  expect([terminal.dispose, other.dispose].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
});

const TITLE = "train tinker-config.yaml";
const dead = { name: TITLE, creationOptions: { name: TITLE }, processId: Promise.resolve(-1) };

it("a stale terminal is that of a task left behind by another window", async () => {
  expect(await isStaleTerminal(dead, TITLE)).toBe(true);
  expect(await isStaleTerminal({ ...dead, name: `Task - ${TITLE}` }, TITLE)).toBe(true);
  const neverNamed = new Promise<undefined>(() => undefined);
  expect(await isStaleTerminal({ ...dead, processId: neverNamed }, TITLE)).toBe(true);
});

it("terminals of other names, and shells of this name, are not stale", async () => {
  expect(await isStaleTerminal({ ...dead, name: "zsh" }, TITLE)).toBe(false);
  expect(await isStaleTerminal({ ...dead, processId: Promise.resolve(4711) }, TITLE)).toBe(false);
  const creationOptions = { name: TITLE, shellPath: "/bin/zsh" };
  expect(await isStaleTerminal({ ...dead, creationOptions }, TITLE)).toBe(false);
});
