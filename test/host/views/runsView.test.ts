import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import { Emitter } from "../../../src/core/util/emitter.ts";
import { dashboardHandlers } from "../../../src/host/commands/dashboardHandlers.ts";
import { clickedRow } from "../../../src/host/views/clickedRow.ts";
import { type RunNode, RunsView } from "../../../src/host/views/runsView.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { fakeVscode } from "../fakeVscode.ts";
import { aRun, aRunList } from "../runEntries.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  commands: { executeCommand: vi.fn(async () => undefined) },
}));

interface Row {
  readonly command?: { readonly command: string; readonly arguments?: readonly unknown[] };
}

/**
 * A tree like VS Code's: the arguments of a row's command stay in the extension under a number that becomes invalid when the row is
 * drawn again (`CommandsConverter` of microsoft/vscode), while the window still shows the old row.
 */
class Tree<Node> {
  readonly #rowOf: (node: Node) => Row;
  readonly #run: (command: string, args: readonly unknown[]) => unknown;
  #kept = new Map<number, Row["command"]>();
  #numbers = 0;
  selection: readonly Node[] = [];

  constructor(
    rowOf: (node: Node) => Row,
    run: (command: string, args: readonly unknown[]) => unknown,
  ) {
    this.#rowOf = rowOf;
    this.#run = run;
  }

  /** The row as the window has it: a click runs its command. */
  draw(node: Node): () => unknown {
    const { command } = this.#rowOf(node);
    if (command === undefined) return () => undefined;
    if (command.arguments === undefined) return () => this.#run(command.command, []);
    const number = ++this.#numbers;
    this.#kept.set(number, command);
    return () => {
      const actual = this.#kept.get(number);
      if (actual === undefined) throw new Error(`Actual command not found /${number}`);
      return this.#run(actual.command, actual.arguments ?? []);
    };
  }

  /** A redraw has begun. */
  forget(): void {
    this.#kept = new Map();
    this.selection = [];
  }
}

const saved: { entries: readonly CheckpointEntry[] } = { entries: [] };

function theRuns(runs: readonly RunEntry[], waiting: readonly object[] = []) {
  const store = aRunList(runs);
  const labels = { nameOf: () => null, isArchived: () => false };
  const trainings = { active: [], waiting, onDidChange: new Emitter<void>().event };
  const opened: string[] = [];
  const dashboard = { open: (folder: string) => opened.push(folder) };
  const alarms = { onDidChange: new Emitter<void>().event, idsOf: () => [] };
  const source = { usable: async () => saved.entries.toReversed(), isHosted: async () => false };
  const options = { store, labels, trainings, alarms, saved: source } as never; // only the members that rows read
  const view = new RunsView(options);
  const tree: Tree<RunNode> = new Tree(
    (node) => view.getTreeItem(node) as Row,
    (command, [target]) => {
      const name = command.replace("tinkerRL.", "") as keyof typeof handlers;
      return handlers[name](target);
    },
  );
  const handlers = dashboardHandlers({ store, labels, dashboard, tree } as never);
  return { view, tree, opened, changed: store.changed, runs };
}

describe("a click on a row that is being redrawn", () => {
  it("opens the run of that row", async () => {
    const runs = ["amber", "basil"].map((name) => aRun({ name, folder: `/runs/${name}` }));
    const { view, tree, opened } = theRuns(runs);
    for (let count = 0; count < 20; count += 1) {
      const node = (await view.getChildren())[count % 2];
      if (node === undefined) throw new Error("There are two runs.");
      const click = tree.draw(node);
      tree.forget();
      const done = click();
      tree.selection = [node];
      await done;
    }
    expect(opened).toEqual(
      Array.from({ length: 20 }, (_, count) => `/runs/${count % 2 === 0 ? "amber" : "basil"}`),
    );
  });

  it("finds its row once VS Code has it again, and gives up if none is selected", async () => {
    const clock = new FakeClock();
    const view: { selection: readonly string[] } = { selection: [] };
    const found = clickedRow(view, clock);
    await clock.advance(200);
    view.selection = ["amber"];
    await clock.advance(100);
    expect(await found).toBe("amber");
    view.selection = [];
    const none = clickedRow(view, clock);
    await clock.advance(5_000);
    expect(await none).toBeNull();
  });

  it("needs no arguments in any view: VS Code supplies them only for its own commands", () => {
    const folder = "src/host/views";
    const withArguments = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        .filter((line) => /\barguments: \[/.test(line)),
    );
    expect(withArguments.map((line) => line.trim())).toEqual([
      ': { command: "vscode.open", title: label, arguments: [uri] };',
    ]);
  });

  it("does not occur for unchanged rows: they are not redrawn", async () => {
    vi.useFakeTimers();
    const runs = [aRun({ folder: "/runs/amber" }), aRun({ folder: "/runs/basil" })];
    const { view, tree, changed } = theRuns(runs);
    const drawn: unknown[] = [];
    view.onDidChangeTreeData((node) => drawn.push(node));
    for (const node of await view.getChildren()) tree.draw(node);
    changed.fire(null);
    vi.advanceTimersByTime(1_000);
    expect(drawn).toEqual([]);
    runs[1] = aRun({ folder: "/runs/basil", steps: 13 });
    changed.fire(null);
    vi.advanceTimersByTime(1_000);
    expect(drawn).toEqual([{ kind: "run", folder: "/runs/basil" }]);
    runs.push(aRun({ folder: "/runs/cedar" }));
    changed.fire(null);
    vi.advanceTimersByTime(1_000);
    expect(drawn.at(-1)).toBeUndefined();
    vi.useRealTimers();
  });
});

it("runs of the same name show their folder if the window has several", async () => {
  const folders = ["alpha", "beta"].map((name) => ({ name, uri: { fsPath: `/${name}` } }));
  const getWorkspaceFolder = ({ fsPath }: { readonly fsPath: string }) =>
    folders.find(({ uri }) => fsPath.startsWith(uri.fsPath));
  Object.assign(fakeVscode.workspace, { workspaceFolders: folders, getWorkspaceFolder });
  const { view } = theRuns(["/alpha/demo", "/beta/demo"].map((folder) => aRun({ folder })));
  const rows = await Promise.all((await view.getChildren()).map((node) => view.getTreeItem(node)));
  Object.assign(fakeVscode.workspace, { workspaceFolders: undefined });
  expect(rows.map(({ description }) => String(description).split(" · ")[0])).toEqual([
    "alpha",
    "beta",
  ]);
});

it("a waiting training has a row that can cancel it", async () => {
  const holder = { title: "train math", startsAgain: null, stop: async () => true };
  const { view } = theRuns([], [holder]);
  const [node] = await view.getChildren();
  expect(node).toEqual({ kind: "waiting", holder });
  expect(node && (await view.getTreeItem(node))).toMatchObject({
    label: "train math",
    description: "waits for another run",
    contextValue: "waiting",
  });
});

describe("below a run", () => {
  it("lists the newest and the best checkpoints first, and the others in one row", async () => {
    const { view } = theRuns([aRun({ folder: "/runs/amber" })]);
    const best = { metric: "reward", value: 0.8 };
    saved.entries = Array.from({ length: 9 }, (_, step) =>
      aCheckpointEntry({ name: `c${step}`, step, ...(step === 1 ? { best } : {}) }),
    );
    const [run] = await view.getChildren();
    const namesOf = (nodes: readonly RunNode[]): readonly string[] =>
      nodes.map((node) => (node.kind === "checkpoint" ? node.name : node.kind));
    const below = await view.getChildren(run);
    expect(namesOf(below)).toEqual([
      ...["c8", "c7", "c6", "c5", "c4", "c1", "older"],
      ...["part", "part", "part"],
    ]);
    const older = below.find(({ kind }) => kind === "older");
    expect(namesOf(await view.getChildren(older))).toEqual(["c3", "c2", "c0"]);
    saved.entries = [];
    expect(namesOf(await view.getChildren(run))).toEqual(["part", "part", "part"]);
  });

  it("shows a newly saved checkpoint after the list is redrawn", async () => {
    vi.useFakeTimers();
    const { view, tree, changed } = theRuns([aRun({ folder: "/runs/amber" })]);
    const [run] = await view.getChildren();
    if (run === undefined) throw new Error("There is a run.");
    tree.draw(run);
    await view.getChildren(run);
    const drawn: unknown[] = [];
    view.onDidChangeTreeData((node) => drawn.push(node));
    changed.fire(null);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(drawn).toEqual([]);
    saved.entries = [aCheckpointEntry({ name: "c0", step: 1 })];
    changed.fire(null);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(drawn).toEqual([run]);
    saved.entries = [];
    vi.useRealTimers();
  });
});
