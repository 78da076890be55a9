import { expect, it } from "vitest";
import {
  type CheckpointEntry,
  newestSave,
  newestWith,
  usableCheckpoints,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { aCheckpointEntry } from "./builders.ts";

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
