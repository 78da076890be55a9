import { describe, expect, it } from "vitest";
import {
  appendCheckpoint,
  type CheckpointEntry,
  readCheckpoints,
} from "../../../src/core/runFolder/checkpointLog.ts";
import {
  newestUnexpired,
  readResumePoints,
  rewindTo,
} from "../../../src/core/runFolder/resumePoints.ts";
import { readState, writeState } from "../../../src/core/runFolder/state.ts";
import { aRunState } from "../../trainer/runState.ts";
import { aCheckpointEntry } from "./builders.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const FOLDER = "/runs/demo";
const NOW_MS = Date.UTC(2026, 10, 22);
const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(NOW_MS + hours * HOUR_MS).toISOString();

const ENTRY: CheckpointEntry = aCheckpointEntry({
  name: "rolling",
  step: 10,
  kind: "rolling",
  state_path: "tinker://a/weights/rolling",
  expires_at: inHours(2),
  created_at: inHours(-1),
});

const PERIODIC: CheckpointEntry = {
  ...ENTRY,
  name: "p",
  kind: "periodic",
  step: 5,
  state: aRunState(5),
  state_path: "tinker://a/weights/p",
  expires_at: null,
};

/** The earliest expiry among the newest resume points after `entries`, in hours; null = never. */
async function expiryHours(entries: readonly CheckpointEntry[]): Promise<readonly unknown[]> {
  const files = createMemoryFileSystem();
  const { step, state_path, sampler_path, expires_at } = ENTRY;
  const last_checkpoint = { step, state_path: state_path ?? "", sampler_path, expires_at };
  await writeState(files, FOLDER, aRunState(10, { last_checkpoint }));
  for (const entry of entries) await appendCheckpoint(files, FOLDER, entry);
  const points = await readResumePoints(files, FOLDER, NOW_MS);
  const newest = newestUnexpired(points, NOW_MS);
  const atMs = newest?.expiresAtMs ?? null;
  return [newest?.state.step, atMs === null ? null : (atMs - NOW_MS) / HOUR_MS];
}

describe("the expiry of the state that a resume starts from", () => {
  it("is initially that of its save", async () => {
    expect(await expiryHours([PERIODIC, ENTRY])).toEqual([10, 2]);
  });

  it("is removed once the checkpoint is kept", async () => {
    const kept = { ...ENTRY, expires_at: null };
    expect(await expiryHours([PERIODIC, ENTRY, kept])).toEqual([10, null]);
  });

  it("changes with the expiry of the checkpoint", async () => {
    const longer = { ...ENTRY, expires_at: inHours(48) };
    expect(await expiryHours([PERIODIC, ENTRY, longer])).toEqual([10, 48]);
  });

  it("is set when a permanent checkpoint gets one", async () => {
    const gone = { ...ENTRY, expires_at: inHours(-1) };
    const limited = { ...PERIODIC, expires_at: inHours(24) };
    expect(await expiryHours([PERIODIC, gone, limited])).toEqual([5, 24]);
  });

  it("excludes a checkpoint whose state alone was deleted", async () => {
    const newer = { ...PERIODIC, name: "q", step: 8, state_path: "tinker://a/weights/q" };
    const gone = { ...ENTRY, state_path: null };
    const kept = [PERIODIC, { ...newer, state: aRunState(8) }, ENTRY, gone];
    expect(await expiryHours(kept)).toEqual([8, null]);
    expect(await expiryHours([...kept, { ...newer, state_path: null }])).toEqual([5, null]);
  });

  it("excludes the checkpoint once it has passed", async () => {
    const gone = { ...ENTRY, expires_at: inHours(-1) };
    const past = { ...PERIODIC, expires_at: inHours(-1) };
    expect(await expiryHours([PERIODIC, gone, past])).toEqual([undefined, null]);
  });
});

it("a run that goes back to an older save keeps the curriculum of that save", async () => {
  const files = createMemoryFileSystem();
  const state = aRunState(5, { curriculum: { tasks: "1 1 10 4 Owner/Game:train:7", drawn: [] } });
  await appendCheckpoint(files, FOLDER, { ...PERIODIC, state });
  // A later line that only changes the save, such as the mark of the best one.
  for (const entry of await readCheckpoints(files, FOLDER)) {
    await appendCheckpoint(files, FOLDER, { ...entry, best: { metric: "m", value: 1 } });
  }
  await writeState(files, FOLDER, aRunState(10));
  const [newest, older] = await readResumePoints(files, FOLDER, NOW_MS);
  if (newest === undefined || older === undefined) throw new Error("The run has two saves.");
  await rewindTo(files, FOLDER, { point: older, gone: [newest] }, NOW_MS);
  expect(await readState(files, FOLDER)).toEqual(state);
});
