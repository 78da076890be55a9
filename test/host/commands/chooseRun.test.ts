import { beforeEach, describe, expect, it, vi } from "vitest";
import { chooseEndedRuns, chooseRun } from "../../../src/host/commands/chooseRun.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { aRun } from "../views/runEntries.ts";

/** Messages with their buttons. */
const shown = vi.hoisted((): string[][] => []);
/** The runs that the user was asked about. */
const offered = vi.hoisted((): string[] => []);
vi.mock("vscode", async () => {
  const { fakeTrees } = await import("../keys/fakeVscode.ts");
  const showInformationMessage = async (...texts: readonly unknown[]) => {
    // A message without buttons has options in their place.
    shown.push(texts.filter((text) => typeof text === "string"));
    return undefined;
  };
  return {
    ...fakeTrees,
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

/** In a folder without runs. */
function choose(active: readonly object[]) {
  const store = { runs: [], refresh: async () => undefined };
  const options = { store, labels: {}, trainings: { active } } as never; // what is read of them
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

it("takes the run of the dashboard in whose title bar a command was called", async () => {
  const run = { folder: "/runs/shown" };
  const options = {
    store: { get: (folder: string) => (folder === run.folder ? run : null) },
    shownFolder: () => run.folder,
  } as never; // what is read of them
  const choice = { placeHolder: "Which run?", none: "There is no run yet.", fits: () => true };
  expect(await chooseRun(options, { scheme: "webview-panel" }, choice)).toBe(run);
});

it("offers the runs that are shown or selected first", async () => {
  const runs = ["new", "shown", "selected", "old"].map((name) =>
    aRun({ folder: `/runs/${name}`, name }),
  );
  const options = {
    store: { runs, refresh: async () => undefined },
    labels: { isArchived: () => false },
    trainings: { active: [] },
    shownFolder: () => "/runs/shown",
    tree: { selection: [{ kind: "run", folder: "/runs/selected" }] },
  } as never; // what is read of them
  const choice = { placeHolder: "Which run?", none: "There is no run yet.", fits: () => true };
  expect(await chooseRun(options, undefined, choice)).toBe(runs[1]);
  expect(offered).toEqual(["shown", "selected", "new", "old"]);
});

describe("a command that takes a run away", () => {
  const noneEnded = "No run can be deleted: those listed are still running. Stop them first.";
  const choice = { fits: () => true, noneEnded };
  const run = aRun({ folder: "/runs/live", name: "live", isLive: true });
  const options = {
    store: { runs: [run], get: () => run, refresh: async () => undefined },
    shownFolder: () => null,
    trainings: { active: [] },
    tree: { selection: [] },
  } as never; // what is read of them

  it("says why there is none while all are running", async () => {
    expect(await chooseEndedRuns(options, [], choice)).toEqual([]);
    expect(shown).toEqual([[noneEnded, "Show Runs"]]);
  });

  it("refuses one that is running", async () => {
    await expect(chooseEndedRuns(options, [{ folder: "/runs/live" }], choice)).rejects.toThrow(
      "live is running. Stop it first.",
    );
  });
});

it("takes the run of a row of the runs table, whose page knows it by an id", async () => {
  const runs = [{ folder: "/runs/amber" }, { folder: "/runs/basil" }];
  const options = { store: { runs } } as never; // what is read of it
  const choice = { placeHolder: "Which run?", none: "There is no run yet.", fits: () => true };
  const row = (folder: string) => ({ webview: "tinkerRL.runs", run: runIdOf(folder) });
  expect(await chooseRun(options, row("/runs/basil"), choice)).toBe(runs[1]);
  expect(await chooseRun(options, row("/runs/gone"), choice)).toBeUndefined();
  expect(shown).toEqual([["This run is no longer in the list.", "Show Runs"]]);
});
