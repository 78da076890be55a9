import { expect, it } from "vitest";
import { RunLabels } from "../../../src/host/runs/runLabels.ts";
import { FakeMemory } from "../fakeMemory.ts";

/** The editor's global state and a workspace's state. */
function mementos() {
  return { everywhere: new FakeMemory(), workspace: new FakeMemory() };
}

it("keeps names, archived runs and opened runs across a restart", async () => {
  const state = mementos();
  const labels = new RunLabels(state);
  await labels.rename("/a", "best one");
  await labels.setArchived("/b", true);
  await labels.addOpened("/c");
  await labels.addOpened("/c");
  const again = new RunLabels(state);
  expect(again.names["/a"]).toBe("best one");
  expect(again.isArchived("/b")).toBe(true);
  expect(again.opened).toEqual(["/c"]);
});

it("an empty name restores a run's own name", async () => {
  const labels = new RunLabels(mementos());
  await labels.rename("/a", "best one");
  await labels.rename("/a", "");
  expect(labels.names).toEqual({});
});

it("forgets a deleted run", async () => {
  const labels = new RunLabels(mementos());
  await labels.rename("/a", "x");
  await labels.setArchived("/a", true);
  await labels.addOpened("/a");
  await labels.forget("/a");
  expect([labels.names, labels.archived, labels.opened]).toEqual([{}, [], []]);
});

it.each([null, 3, { names: [] }, { names: {}, archived: "x", opened: [] }])(
  "starts over if the stored value is %j",
  (found) => {
    const memory = { get: () => found, update: async () => undefined };
    const labels = new RunLabels({ everywhere: memory, workspace: memory });
    expect([labels.opened, labels.names, labels.archived]).toEqual([[], {}, []]);
  },
);

it("shows changes by another view of the same state immediately", async () => {
  const state = mementos();
  const [one, other] = [new RunLabels(state), new RunLabels(state)];
  expect(other.isArchived("/a")).toBe(false);
  await one.setArchived("/a", true);
  expect(other.isArchived("/a")).toBe(true);
});

it("keeps names and archived runs when a window changes from one folder to several", async () => {
  const everywhere = new FakeMemory();
  const before = new RunLabels({ everywhere, workspace: new FakeMemory() });
  await before.rename("/p/runs/a", "best one");
  await before.setArchived("/p/runs/b", true);
  // The editor gives a window with another set of folders a separate state.
  const after = new RunLabels({ everywhere, workspace: new FakeMemory() });
  expect(after.names["/p/runs/a"]).toBe("best one");
  expect(after.isArchived("/p/runs/b")).toBe(true);
});
