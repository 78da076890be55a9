import { expect, it } from "vitest";
import {
  appendCheckpoint,
  type CheckpointEntry,
  NewestSaves,
  newestSave,
  newestWith,
  readCheckpoints,
  usableCheckpoints,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { aRunState } from "../../trainer/runState.ts";
import { aCheckpointEntry } from "./builders.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const NOW = Date.UTC(2026, 0, 2);

function aSave(name: string, changes: Partial<CheckpointEntry> = {}): CheckpointEntry {
  return aCheckpointEntry({
    name,
    step: 10,
    state_path: `tinker://r/weights/${name}`,
    created_at: new Date(NOW - 1000).toISOString(),
    ...changes,
  });
}
const past = new Date(NOW - 1).toISOString();
const rolling = { kind: "rolling", expires_at: new Date(NOW + 1000).toISOString() } as const;
const names = (entries: readonly CheckpointEntry[]): readonly string[] =>
  usableCheckpoints(entries, NOW).map(({ name }) => name);

it("a save that became the final one is listed once, as final", () => {
  const entries = [aSave("a"), aSave("b"), aSave("a", { kind: "final" })];
  expect(usableCheckpoints(entries, NOW).map(({ name, kind }) => [name, kind])).toEqual([
    ["b", "periodic"],
    ["a", "final"],
  ]);
});

it("an expired or deleted save cannot be used", () => {
  expect(names([aSave("a"), aSave("b"), aSave("a", { expires_at: past })])).toEqual(["b"]);
});

it("a rolling save is valid until the next save of any kind", () => {
  expect(names([aSave("r1", rolling), aSave("r2", rolling)])).toEqual(["r2"]);
  expect(names([aSave("r1", rolling), aSave("b")])).toEqual(["b"]);
});

it("a rolling save can be used even if an update to an earlier save follows it", () => {
  const [lasting, newest] = [
    aSave("a"),
    aSave("r1", { ...rolling, created_at: new Date(NOW).toISOString() }),
  ];
  // The same kind of entry that *Keep Checkpoint…* writes.
  const note = { ...lasting, expires_at: new Date(NOW + 1000).toISOString() };
  const entries = [lasting, newest, note];
  expect(newestSave(entries)).toBe(newest);
  expect(names(entries)).toEqual(["a", "r1"]);
});

it("an update to an earlier save does not make it the newest", () => {
  const created_at = new Date(NOW).toISOString();
  const [first, second] = [aSave("a"), aSave("b", { created_at })];
  const note = { ...first, expires_at: new Date(NOW + 1000).toISOString() };
  expect(names([first, second, note])).toEqual(["a", "b"]);
  expect(newestWith(usableCheckpoints([first, second, note], NOW), "state_path")?.name).toBe("b");
});

it("an old save is still listed after thousands of rolling saves", () => {
  const saves = new NewestSaves();
  for (const entry of [aSave("a"), aSave("a", { kind: "final" }), aSave("b")]) saves.add(entry);
  for (let step = 0; step < 6_000; step += 1) {
    saves.add(aSave(`r${step}`, rolling));
    saves.add(aSave(`r${step}`, { ...rolling, expires_at: past }));
  }
  saves.add(aSave("last", rolling));
  expect(saves.all).toHaveLength(5_000);
  expect(saves.all.slice(0, 3).map(({ kind }) => kind)).toEqual(["periodic", "final", "periodic"]);
  expect(names(saves.all)).toEqual(["a", "b", "last"]);
});

it("the oldest saves are dropped when too many are permanent, but not the newest rolling one", () => {
  const saves = new NewestSaves();
  saves.add(aSave("last", rolling));
  for (let step = 0; step < 5_001; step += 1) saves.add(aSave(`s${step}`));
  saves.add(aSave("newest", rolling));
  expect(saves.all).toHaveLength(5_000);
  expect(saves.all.slice(-2).map(({ name }) => name)).toEqual(["s5000", "newest"]);
});

it("saves of a large curriculum are all listed, without it", async () => {
  const files = createMemoryFileSystem();
  const tasks = Array.from({ length: 90_000 }, (_, i) => `1 2 3 4 Owner/Game:train:${i}`);
  const curriculum = { tasks: tasks.join("\n"), drawn: [] };
  for (const name of ["a", "b", "c"]) {
    await appendCheckpoint(files, "run", { ...aSave(name), state: aRunState(1, { curriculum }) });
  }
  const saves = await readCheckpoints(files, "run");
  expect(saves.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(saves[0]?.state).toEqual(aRunState(1));
});
