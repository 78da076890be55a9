import { expect, it } from "vitest";
import { DashboardSession } from "../../src/host/dashboard/dashboardSession.ts";
import { keepPinnedMetrics, readPinnedMetrics } from "../../src/host/dashboard/pinnedMetrics.ts";
import { keepSavedFilters, readSavedFilters } from "../../src/host/dashboard/savedFilters.ts";
import type { HostMessage } from "../../src/shared/dashboardMessages.ts";
import { createDashboardModel } from "../../webview-ui/model/dashboardModel.ts";
import type { Host } from "../../webview-ui/model/host.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { textsHere } from "../fakes/textsHere.ts";
import { FakeMemory } from "../host/keys/fakeMemory.ts";

/** A page that has just been opened: nothing of an earlier one is left in it. */
async function openedDashboard(workspaceState: FakeMemory) {
  let take: (message: HostMessage) => void = () => undefined;
  const fileSystem = createMemoryFileSystem();
  const session = new DashboardSession(
    {
      clock: new FakeClock(),
      fileSystem,
      post: (message) => take(message),
      isProcessAlive: () => false,
      runs: { list: async () => [], find: async () => null, evaluated: () => null },
      command: async () => undefined,
      tokenTexts: async () => null,
      texts: textsHere(fileSystem, "/none"),
      shortenPath: (path) => path,
      settings: {
        current: () => ({
          smoothing: 0.6,
          hasSingleKeys: true,
          hasLiveRegion: true,
          pinnedMetrics: readPinnedMetrics(workspaceState),
          savedFilters: readSavedFilters(workspaceState),
        }),
        pinMetrics: (names) => keepPinnedMetrics(workspaceState, names),
        keepFilters: (filters) => keepSavedFilters(workspaceState, filters),
      },
    },
    { run: null, isVisible: true },
  );
  const host: Host = {
    listen: (listener) => {
      take = listener;
      session.receive({ kind: "ready" });
    },
    ask: () => () => undefined,
    command: () => undefined,
    selectRun: () => undefined,
    requestColumns: () => undefined,
    pinMetrics: (names) => session.receive({ kind: "pin-metrics", names }),
    keepFilters: (filters) => session.receive({ kind: "keep-filters", filters }),
    loadState: () => null,
    saveState: () => undefined,
  };
  const model = createDashboardModel(host);
  for (let turn = 0; turn < 100 && model.connection.status.value !== "empty"; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { model, close: () => session.dispose() };
}

it("metrics that were added are there when the dashboard is opened again", async () => {
  const workspaceState = new FakeMemory();
  const first = await openedDashboard(workspaceState);
  first.model.togglePinned("optim/lr");
  first.model.togglePinned("time/total_s");
  first.model.togglePinned("time/total_s");
  first.close();
  const second = await openedDashboard(workspaceState);
  expect(second.model.settings.value.pinnedMetrics).toEqual(["optim/lr"]);
  second.close();
});

it("what is stored in another shape is no metric", () => {
  const workspaceState = new FakeMemory();
  workspaceState.values.set("dashboard.pinnedMetrics", { names: 3 });
  expect(readPinnedMetrics(workspaceState)).toEqual([]);
});
