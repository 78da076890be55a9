import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  appendCheckpoint,
  type CheckpointEntry,
} from "../../../src/core/runFolder/checkpointLog.ts";
import { RunCheckpoints } from "../../../src/server/catalogue/runCheckpoints.ts";
import type { KeptCheckpoint } from "../../../src/server/catalogue/storedLists.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { aRun } from "../../host/runEntries.ts";

const fileSystem = filesOnDisk();
const folder = folderOfEachTest();

const SAVE: CheckpointEntry = aCheckpointEntry({
  name: "checkpoint_000010",
  step: 10,
  state_path: "tinker://s:train:0/weights/checkpoint_000010",
  metrics: { "rollout/reward/mean": 0.5 },
  created_at: "2026-11-01T10:00:00.000Z",
});

beforeEach(() => {
  const config = { model_name: "local/tiny-tool", lora_rank: 8 };
  writeFileSync(join(folder, "config.resolved.json"), JSON.stringify(config));
});

function reader() {
  const reported: (readonly KeptCheckpoint[])[] = [];
  const rewards: unknown[] = [];
  const run = aRun({ folder, name: "demo" });
  const checkpoints = new RunCheckpoints({
    store: { runs: [run], onDidChange: () => ({ dispose: () => undefined }) },
    fileSystem,
    onFound: (saved, found) => {
      reported.push(saved);
      rewards.push([...found]);
    },
    onError: (error) => {
      throw error;
    },
  });
  return { checkpoints, reported, rewards };
}

describe("the checkpoints of this window's runs", () => {
  it("have model, step and time, each path once", async () => {
    await appendCheckpoint(fileSystem.within(folder), folder, SAVE);
    await appendCheckpoint(fileSystem.within(folder), folder, { ...SAVE, kind: "final" });
    const { checkpoints, reported, rewards } = reader();
    await checkpoints.read();
    expect(rewards).toEqual([[[SAVE.state_path, 0.5]]]);
    expect(reported).toEqual([
      [
        {
          path: SAVE.state_path,
          run: "demo",
          model: "local/tiny-tool",
          rank: 8,
          step: 9,
          sizeBytes: null,
          savedAtMs: Date.parse(SAVE.created_at),
          expiresAtMs: null,
          kind: "final",
          isGone: false,
        },
      ],
    ]);
  });

  it("are reported again only after a new save", async () => {
    await appendCheckpoint(fileSystem.within(folder), folder, SAVE);
    const { checkpoints, reported } = reader();
    await checkpoints.read();
    await checkpoints.read();
    expect(reported).toHaveLength(1);
    const path = "tinker://s:train:0/weights/checkpoint_000020";
    await appendCheckpoint(fileSystem.within(folder), folder, {
      ...SAVE,
      state_path: path,
      step: 20,
    });
    await checkpoints.read();
    expect(reported.at(-1)?.map(({ step }) => step)).toEqual([9, 19]);
  });

  it("are known to be gone if a newer save replaced them or they were deleted", async () => {
    const save = (name: string, kind: CheckpointEntry["kind"], step: number): CheckpointEntry => {
      return { ...SAVE, name, kind, step, state_path: `tinker://s:train:0/weights/${name}` };
    };
    const deleted = save("checkpoint_000020", "periodic", 20);
    for (const entry of [
      save("rolling_000005", "rolling", 5),
      save("checkpoint_000010", "periodic", 10),
      deleted,
      { ...deleted, expires_at: "2026-11-02T10:00:00.000Z" },
      save("final_000030", "final", 30),
    ]) {
      await appendCheckpoint(fileSystem.within(folder), folder, entry);
    }
    const { checkpoints, reported } = reader();
    await checkpoints.read();
    const [found = []] = reported;
    expect(found.map(({ path, kind, isGone }) => [path.split("/").at(-1), kind, isGone])).toEqual([
      ["rolling_000005", "rolling", true],
      ["checkpoint_000010", "periodic", false],
      ["checkpoint_000020", "periodic", true],
      ["final_000030", "final", false],
    ]);
  });
});
