import { beforeEach, describe, expect, it, vi } from "vitest";
import { chooseEndedRuns, chooseRun } from "../../../src/host/commands/chooseRun.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { aRun } from "../views/runEntries.ts";

/** Messages with their buttons. */
const shown = vi.hoisted((): string[][] => []);
/** The runs that the user could pick from. */
const offered = vi.hoisted((): string[] => []);
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  const showInformationMessage = async (...texts: readonly unknown[]) => {
    // A message without buttons has options in their place.
    shown.push(texts.filter((text) => typeof text === "string"));
    return undefined;
  };
  return {
    ...fakeVscode,
    workspace: {},
    window: {
      showInformationMessage,
      showQuickPick: async (items: readonly { readonly label: string }[]) => {
        offered.push(...items.map(({ label }) => label));
        return items[0];
      },
    },
  };
});

beforeEach(() => {
  shown.length = 0;
  offered.length = 0;
});

/** Picks a run in a folder without runs. */
function choose(active: readonly object[]) {
  const store = { runs: [], refresh: async () => undefined };
  const options = { store, labels: {}, trainings: { active } } as never; // only the members it reads
  return chooseRun(options, undefined, {
    placeHolder: "Which run?",
    none: "There is no run yet.",
    fits: () => true,
  });
}

it("offers to start the first run", async () => {
  expect(await choose([])).toBeUndefined();
  expect(shown).toEqual([["There is no run yet.", "Start Training", "Start Local Demo"]]);
});

it("does not offer a second run while the first is being prepared", async () => {
  expect(await choose([{ folder: null }])).toBeUndefined();
  expect(shown).toEqual([["The run is being prepared. It is listed when it begins."]]);
});

it("uses the run of the dashboard whose title bar a command was called from", async () => {
  const run = { folder: "/runs/shown" };
  const options = {
    store: { get: (folder: string) => (folder === run.folder ? run : null) },
    shownFolder: () => run.folder,
  } as never; // only the members it reads
  const choice = { placeHolder: "Which run?", none: "There is no run yet.", fits: () => true };
  expect(await chooseRun(options, { scheme: "webview-panel" }, choice)).toBe(run);
});

it("lists visible and selected runs first", async () => {
  const runs = ["new", "shown", "selected", "old"].map((name) =>
    aRun({ folder: `/runs/${name}`, name }),
  );
  const options = {
    store: { runs, refresh: async () => undefined },
    labels: { isArchived: () => false },
    trainings: { active: [] },
    shownFolder: () => "/runs/shown",
    tree: { selection: [{ kind: "run", folder: "/runs/selected" }] },
  } as never; // only the members it reads
  const choice = { placeHolder: "Which run?", none: "There is no run yet.", fits: () => true };
  expect(await chooseRun(options, undefined, choice)).toBe(runs[1]);
  expect(offered).toEqual(["shown", "selected", "new", "old"]);
});

describe("a command that removes a run", () => {
  const noneEnded = "No run can be deleted: those listed are still running. Stop them first.";
  const choice = { fits: () => true, noneEnded };
  const run = aRun({ folder: "/runs/live", name: "live", isLive: true });
  const options = {
    store: { runs: [run], get: () => run, refresh: async () => undefined },
    shownFolder: () => null,
    trainings: { active: [] },
    tree: { selection: [] },
  } as never; // only the members it reads

  it("says why no run is available while all are in progress", async () => {
    expect(await chooseEndedRuns(options, [], choice)).toEqual([]);
    expect(shown).toEqual([[noneEnded, "Show Runs"]]);
  });

  it("refuses a run in progress", async () => {
    await expect(chooseEndedRuns(options, [{ folder: "/runs/live" }], choice)).rejects.toThrow(
      "live is running. Stop it first.",
    );
  });
});

it("uses the run of a row in the runs table, whose page refers to it by an id", async () => {
  const runs = [{ folder: "/runs/amber" }, { folder: "/runs/basil" }];
  const options = { store: { runs } } as never; // only the members it reads
  const choice = { placeHolder: "Which run?", none: "There is no run yet.", fits: () => true };
  const row = (folder: string) => ({ webview: "tinkerRL.runs", run: runIdOf(folder) });
  expect(await chooseRun(options, row("/runs/basil"), choice)).toBe(runs[1]);
  expect(await chooseRun(options, row("/runs/gone"), choice)).toBeUndefined();
  expect(shown).toEqual([["This run is no longer in the list.", "Show Runs"]]);
});
