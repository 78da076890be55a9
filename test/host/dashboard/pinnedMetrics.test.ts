import { expect, it } from "vitest";
import { keepPinnedMetrics, readPinnedMetrics } from "../../../src/host/dashboard/pinnedMetrics.ts";
import { FakeMemory } from "../keys/fakeMemory.ts";

it("metrics that were pinned are there when the dashboard is opened again", async () => {
  const memory = new FakeMemory();
  await keepPinnedMetrics(memory, ["optim/lr"]);
  expect(readPinnedMetrics(memory)).toEqual(["optim/lr"]);
});

it("what is stored in another shape is no metric", () => {
  const memory = new FakeMemory();
  memory.values.set("dashboard.pinnedMetrics", { names: 3 });
  expect(readPinnedMetrics(memory)).toEqual([]);
});
