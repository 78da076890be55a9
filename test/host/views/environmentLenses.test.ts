import { expect, it, vi } from "vitest";
import { environmentLenses } from "../../../src/host/views/environmentLenses.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  Range: class {
    readonly line: number;
    constructor(line: number) {
      this.line = line;
    }
  },
  CodeLens: class {
    readonly range: unknown;
    readonly command: unknown;
    constructor(range: unknown, command: unknown) {
      this.range = range;
      this.command = command;
    }
  },
}));

const CODE =
  "from openreward.environments import Environment\n\nclass Maze(Environment):\n    pass\n";
const CONFIG = "/project/tinker-config.yaml";

async function lenses(server: string | null, file: string, text = CODE): Promise<unknown> {
  const provider = environmentLenses({
    named: async () => [{ name: "maze", server, config: CONFIG }],
    onDidChange: () => ({ dispose: () => undefined }),
  });
  const document = { getText: () => text, uri: { fsPath: file } };
  return provider.provideCodeLenses(document as never, undefined as never); // only the members that the provider reads
}

const range = { line: 2 };

it("offers to play, check and train an environment that a configuration starts from the file", async () => {
  const own = [{ name: "maze", config: CONFIG }];
  const configured = [
    { range, command: { title: "Play", command: "tinkerRL.playEnvironment", arguments: own } },
    { range, command: { title: "Check", arguments: own } },
    { range, command: { title: "Train", arguments: [{ fsPath: CONFIG }] } },
  ];
  expect(await lenses("python maze.py", "/project/maze.py")).toMatchObject(configured);
  // With `cwd: environments/maze`.
  const below = "/project/environments/maze/maze.py";
  expect(await lenses("python ./maze.py", below)).toMatchObject(configured);
  // With Windows path separators.
  const onWindows = "/project/environments\\maze\\maze.py";
  expect(await lenses("python maze/maze.py", onWindows)).toMatchObject(configured);
  expect(await lenses("python .\\maze.py", onWindows)).toMatchObject(configured);
});

it("offers to add another one to a configuration", async () => {
  const file = "/project/other.py";
  const command = { title: "Add to Configuration…", arguments: [{ name: "maze", file }] };
  expect(await lenses("python maze.py", file)).toMatchObject([{ range, command }]);
  expect(await lenses(null, file)).toMatchObject([{ range, command }]);
});

it("ignores other Python files", async () => {
  expect(await lenses("python maze.py", "/project/maze.py", "class Maze:\n")).toEqual([]);
});
