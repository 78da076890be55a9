import { beforeEach, describe, expect, it, vi } from "vitest";
import { chooseEndedRuns, chooseRun } from "../../../src/host/commands/chooseRun.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { resetUser, shownLabels, user } from "../fakeWindow.ts";
import { aRun, aRunList } from "../runEntries.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));

beforeEach(resetUser);

const choice = { placeHolder: "Which run?", none: "There is no run yet.", fits: () => true };

/** Picks a run in a folder without runs. */
function choose(active: readonly object[]) {
  const options = { store: aRunList([]), labels: {}, trainings: { active } } as never; // only the members it reads
  return chooseRun(options, undefined, choice);
}

it("offers to start the first run", async () => {
  expect(await choose([])).toBeUndefined();
  expect(user.texts).toEqual(["There is no run yet."]);
  expect(user.buttons).toEqual([["Start Training", "Start Local Demo"]]);
});

it("does not offer a second run while the first is being prepared", async () => {
  expect(await choose([{ folder: null }])).toBeUndefined();
  expect(user.texts).toEqual(["The run is being prepared. It is listed when it begins."]);
  expect(user.buttons).toEqual([[]]);
});

it("uses the run of the dashboard whose title bar a command was called from", async () => {
  const run = aRun({ folder: "/runs/shown" });
  const options = { store: aRunList([run]), shownFolder: () => run.folder } as never; // only the members it reads
  expect(await chooseRun(options, { scheme: "webview-panel" }, choice)).toBe(run);
});

it("lists visible and selected runs first", async () => {
  const runs = ["new", "shown", "selected", "old"].map((name) =>
    aRun({ folder: `/runs/${name}`, name }),
  );
  const options = {
    store: aRunList(runs),
    labels: { isArchived: () => false },
    trainings: { active: [] },
    shownFolder: () => "/runs/shown",
    tree: { selection: [{ kind: "run", folder: "/runs/selected" }] },
  } as never; // only the members it reads
  user.picks = ["accept"];
  expect(await chooseRun(options, undefined, choice)).toBe(runs[1]);
  expect(shownLabels()).toEqual([["shown", "selected", "new", "old"]]);
});

describe("a command that removes a run", () => {
  const noneEnded = "No run can be deleted: those listed are still running. Stop them first.";
  const run = aRun({ folder: "/runs/live", name: "live", isLive: true });
  const options = {
    store: aRunList([run]),
    shownFolder: () => null,
    trainings: { active: [] },
    tree: { selection: [] },
  } as never; // only the members it reads

  it("says why no run is available while all are in progress", async () => {
    expect(await chooseEndedRuns(options, [], { ...choice, noneEnded })).toEqual([]);
    expect([user.texts, user.buttons]).toEqual([[noneEnded], [["Show Runs"]]]);
  });

  it("refuses a run in progress", async () => {
    await expect(
      chooseEndedRuns(options, [{ folder: "/runs/live" }], { ...choice, noneEnded }),
    ).rejects.toThrow("live is running. Stop it first.");
  });
});

it("uses the run of a row in the runs table, whose page refers to it by an id", async () => {
  const runs = [aRun({ folder: "/runs/amber" }), aRun({ folder: "/runs/basil" })];
  const options = { store: aRunList(runs) } as never; // only the members it reads
  const row = (folder: string) => ({ webview: "tinkerRL.runs", run: runIdOf(folder) });
  expect(await chooseRun(options, row("/runs/basil"), choice)).toBe(runs[1]);
  expect(await chooseRun(options, row("/runs/gone"), choice)).toBeUndefined();
  expect(user.texts).toEqual(["This run is no longer in the list."]);
  expect(user.buttons).toEqual([["Show Runs"]]);
});
