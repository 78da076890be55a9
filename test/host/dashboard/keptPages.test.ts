import { expect, it } from "vitest";
import { keep, readKept } from "../../../src/host/dashboard/keptPages.ts";
import { FakeMemory } from "../keys/fakeMemory.ts";

it("the arrangement of one page is restored when pages are reopened, together with those of other pages", async () => {
  const memory = new FakeMemory();
  await keep(memory, { pinnedMetrics: ["optim/lr"] });
  await keep(memory, { layout: '{"columns":[]}' });
  expect(readKept(memory)).toEqual({
    pinnedMetrics: ["optim/lr"],
    hiddenCharts: [],
    savedFilters: [],
    isDemoCardClosed: false,
    layout: '{"columns":[]}',
  });
});

it("stored data of another shape is ignored", () => {
  const memory = new FakeMemory();
  memory.values.set("dashboard.pinnedMetrics", { names: 3 });
  memory.values.set("runsTable.layout", 3);
  expect(readKept(memory)).toEqual({
    pinnedMetrics: [],
    hiddenCharts: [],
    savedFilters: [],
    isDemoCardClosed: false,
    layout: null,
  });
});
