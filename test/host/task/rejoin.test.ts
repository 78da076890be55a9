import { expect, it, vi } from "vitest";
import { rejoinLaunches } from "../../../src/host/task/rejoin.ts";

const { alpha, terminals } = vi.hoisted(() => ({
  alpha: { name: "alpha", uri: { fsPath: "/alpha" }, index: 0 },
  terminals: [] as object[],
}));
vi.mock("../../../src/node/control/client.ts", () => ({
  ControlClient: {
    open: async () => ({
      send: async () => ({ status: { pid: 1, attached: 0 } }),
      close: () => undefined,
    }),
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
