import { beforeEach, expect, it, vi } from "vitest";
import { runListHandlers } from "../../../src/host/commands/runListHandlers.ts";
import { runIdOf } from "../../../src/server/runs/runId.ts";
import { resetUser, shownLabels, user } from "../fakeWindow.ts";
import { aRun, aRunList } from "../runEntries.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
  commands: { executeCommand: async () => undefined },
}));

const names = ["amber", "basil", "cedar"];
const runs = names.map((name) => aRun({ folder: `/runs/${name}`, name, isLive: name === "cedar" }));
const row = (name: string) => ({ kind: "run", folder: `/runs/${name}` });

function handlers(selection: readonly object[] = []) {
  const archived = new Set<string>();
  const labels = {
    isArchived: (folder: string) => archived.has(folder),
    setArchived: async (folder: string, isArchived: boolean) => {
      if (isArchived) archived.add(folder);
      else archived.delete(folder);
    },
  };
  const view = { redraw: () => undefined };
  const options = {
    store: aRunList(runs),
    labels,
    runsView: view,
    shownFolder: () => null,
    tree: { selection },
  };
  return { archived, ...runListHandlers(options as never) }; // only the members it reads
}

beforeEach(resetUser);

it("archives and restores all selected runs", async () => {
  const { archived, archiveRun, restoreRun } = handlers();
  const selected = [row("amber"), row("basil")];
  await archiveRun(row("amber"), selected);
  expect([...archived]).toEqual(["/runs/amber", "/runs/basil"]);
  expect(user.texts).toEqual(["2 runs are archived. Show Archived Runs lists them again."]);
  await restoreRun(row("amber"), selected);
  expect([...archived]).toEqual([]);
});

it("archives none of them while one is in progress, and names that one", async () => {
  const { archived, archiveRun } = handlers();
  const selected = [row("amber"), row("cedar")];
  await expect(archiveRun(row("amber"), selected)).rejects.toThrow("cedar is running");
  expect([...archived]).toEqual([]);
});

it("archives only the row that it was called on", async () => {
  const { archived, archiveRun } = handlers();
  await archiveRun(row("basil"), undefined);
  expect([...archived]).toEqual(["/runs/basil"]);
  expect(user.texts).toEqual(["basil is archived. Show Archived Runs lists it again."]);
});

it.each([
  ["a row that was lost", null],
  ["the palette", undefined],
])("asks for the run when %s names none, regardless of the selection", async (_, target) => {
  const selected = [row("amber"), row("basil")];
  const { archived, archiveRun } = handlers(selected);
  await archiveRun(target, undefined);
  await archiveRun(target, selected);
  expect([...archived]).toEqual([]);
  expect(shownLabels()).toEqual([names.slice(0, 2), names.slice(0, 2)]);
});

it("restores the archived run from the palette, also while others are selected", async () => {
  const { archived, restoreRun } = handlers([row("amber"), row("cedar")]);
  archived.add("/runs/basil");
  await restoreRun(undefined, undefined);
  expect([...archived]).toEqual([]);
});

it("renames the row of the runs table that it was called on, also while several are selected", async () => {
  const [amber = "", basil = ""] = runs.map(({ folder }) => runIdOf(folder));
  const { renameRun } = handlers();
  await renameRun({ webview: "tinkerRL.runs", run: basil, chosen: [amber, basil] });
  expect(user.texts).toEqual(["Rename basil"]);
});
