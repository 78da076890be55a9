import { expect, test } from "vitest";
import { createRunReader } from "../../../src/core/runFolder/reader.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { searchEvidence } from "../../../src/server/dashboard/evidenceSearch.ts";
import { aRecord, collect } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const FOLDER = "runs/demo";

test("the rollouts that caused an alarm are found group by group", async () => {
  const files = createMemoryFileSystem().within(FOLDER);
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder: FOLDER });
  const rewards = [
    [1, 1],
    [0, 1],
    [0, 0],
  ];
  for (const [group, own] of rewards.entries()) {
    for (const [rollout, reward] of own.entries()) {
      await store.addRollout(aRecord({ group, rollout, reward }));
    }
  }
  const reader = createRunReader(files, FOLDER);
  const summaries = await reader.rollouts(0);
  const reports = await collect(searchEvidence(reader, summaries, "equal_rewards"));
  expect(reports.flatMap(({ found }) => found.map(({ group }) => group))).toEqual([0, 0, 2, 2]);
  expect(reports.at(-1)).toMatchObject({ isComplete: true });
  await expect(collect(searchEvidence(reader, summaries, "another"))).rejects.toThrow("no alarm");
});
