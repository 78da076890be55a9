import { expect, it, vi } from "vitest";
import { createWindowPages } from "../../../src/host/dashboard/windowPages.ts";
import { settle } from "../../fakes/fakeClock.ts";
import { FakeMemory } from "../fakeMemory.ts";

vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  const onDidChangeConfiguration = () => new fakeVscode.Disposable(() => undefined);
  Object.assign(fakeVscode.workspace, { onDidChangeConfiguration });
  return fakeVscode;
});

function somePages(workspaceState: FakeMemory) {
  const onError = (error: unknown) => expect.unreachable(String(error));
  const finder = { onDidMark: () => ({ dispose: () => undefined }) };
  return createWindowPages({ workspaceState, finder, onError } as never); // only the members it reads
}

it("the arrangement of one page is restored when pages are reopened, together with those of other pages", async () => {
  const memory = new FakeMemory();
  const pages = somePages(memory);
  pages.keep({ pinnedMetrics: ["optim/lr"] });
  pages.keep({ layout: '{"columns":[]}' });
  await settle();
  expect(somePages(memory).surroundings().settings).toMatchObject({
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
  expect(somePages(memory).surroundings().settings).toMatchObject({
    pinnedMetrics: [],
    hiddenCharts: [],
    savedFilters: [],
    isDemoCardClosed: false,
    layout: null,
  });
});
