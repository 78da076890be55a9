import { expect, it } from "vitest";
import { COMMANDS } from "../../src/host/manifest/commandTable.ts";
import { type Memento, RunLabels } from "../../src/host/runs/runLabels.ts";
import { RunStore } from "../../src/host/runs/runStore.ts";
import type { RunFile } from "../../src/shared/runFile.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../fakes/fakeClock.ts";

function memory(): Memento {
  const stored = new Map<string, unknown>();
  return {
    get: (key) => stored.get(key),
    update: async (key, value) => void stored.set(key, structuredClone(value)),
  };
}

it("an archived run can be listed again and taken back out of the archive", () => {
  expect(COMMANDS.get("restoreRun")?.menus?.[0]?.when).toContain("archived");
  expect(COMMANDS.get("showArchivedRuns")?.menus?.[0]?.menu).toBe("view/title");
  expect(COMMANDS.get("hideArchivedRuns")).toBeDefined();
});

it("names and archived runs outlive the change of a window from one folder to several", async () => {
  const everywhere = memory();
  const before = new RunLabels({ everywhere, workspace: memory() });
  await before.rename("/p/runs/a", "best one");
  await before.setArchived("/p/runs/b", true);
  // The editor gives a window with another set of folders a state of its own.
  const after = new RunLabels({ everywhere, workspace: memory() });
  expect(after.nameOf("/p/runs/a")).toBe("best one");
  expect(after.isArchived("/p/runs/b")).toBe(true);
});

it("whoever asks for a run learns the name that the user gave it", async () => {
  const fileSystem = createMemoryFileSystem();
  const clock = new FakeClock();
  const file: RunFile = {
    schemaVersion: 1,
    runId: "r",
    name: "demo",
    pid: 1,
    host: "here",
    owner: "terminal",
    startedAtMs: 1,
    heartbeatAtMs: 1,
    generation: 0,
    attempt: 1,
    phase: "done",
    configPath: "/c.yaml",
    control: null,
  };
  await fileSystem.writeAtomic(
    "/runs/demo/run.json",
    new TextEncoder().encode(JSON.stringify(file)),
  );
  const labels = new RunLabels({ everywhere: memory(), workspace: memory() });
  const store = new RunStore({
    fileSystem,
    clock,
    onError: () => undefined,
    nameOf: (folder) => labels.nameOf(folder),
  });
  await labels.rename("/runs/demo", "best one");
  await store.look([], ["/runs/demo"]);
  expect(store.get("/runs/demo")?.name).toBe("best one");
  store.close();
});
