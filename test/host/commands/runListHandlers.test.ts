import { expect, it, vi } from "vitest";
import { runListHandlers } from "../../../src/host/commands/runListHandlers.ts";
import { aRun } from "../views/runEntries.ts";

vi.mock("vscode", async () => {
  const { fakeTrees } = await import("../keys/fakeVscode.ts");
  return { ...fakeTrees, window: {} };
});

it("a run in progress is not archived", async () => {
  const run = aRun({ folder: "/runs/live", name: "live", isLive: true });
  const setArchived = vi.fn();
  const { archiveRun } = runListHandlers({
    store: { get: () => run, runs: [run] },
    labels: { setArchived, isArchived: () => false },
  } as unknown as Parameters<typeof runListHandlers>[0]);
  await expect(archiveRun({ folder: "/runs/live" })).rejects.toThrow("live is running.");
  expect(setArchived).not.toHaveBeenCalled();
});
