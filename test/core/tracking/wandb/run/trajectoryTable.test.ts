import { describe, expect, it } from "vitest";
import { createRolloutStore } from "../../../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../../../src/core/secrets/redaction/redactor.ts";
import { trajectoryTable } from "../../../../../src/core/tracking/wandb/run/trajectoryTable.ts";
import { anAgentRecord, aRecord } from "../../../runFolder/builders.ts";
import { createMemoryFileSystem } from "../../../runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/run";

async function tableOf(groups: number, size: number, promptText = "2 + 2?") {
  const fileSystem = createMemoryFileSystem();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  for (let group = 0; group < groups; group += 1) {
    for (let rollout = 0; rollout < size; rollout += 1) {
      await store.addRollout(aRecord({ step: 4, group, rollout, promptText }));
    }
  }
  const score = { group: 0, rollout: 0, advantage: 0.5, trainingUse: "trained" } as const;
  await store.addScores(4, [score]);
  return trajectoryTable(fileSystem, FOLDER, 4);
}

describe("a table of trajectories", () => {
  it("has a row per rollout, with steps and groups counted from 1, and a transcript", async () => {
    const table = await tableOf(2, 2);
    const rows = table?.data.map((row) =>
      Object.fromEntries(row.map((cell, i) => [table.columns[i], cell])),
    );
    expect(rows?.map(({ step, group, rollout }) => [step, group, rollout])).toEqual([
      [5, 1, 1],
      [5, 1, 2],
      [5, 2, 1],
      [5, 2, 2],
    ]);
    expect(rows?.[0]).toMatchObject({ advantage: 0.5 });
    expect(rows?.[1]).toMatchObject({ advantage: null });
    expect(rows?.[0]?.["transcript"]).toContain("[task]\n2 + 2?");
  });

  it("includes an agent's requests", async () => {
    const fileSystem = createMemoryFileSystem();
    const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
    await store.addRollout(anAgentRecord());
    const table = await trajectoryTable(fileSystem, FOLDER, 0);
    expect(table?.data[0]?.at(-1)).toContain("[user]\nAdd 2 to 3.");
  });

  it("shows a sample from the whole step if there are many, and shortens long texts", async () => {
    const table = await tableOf(40, 4, "x".repeat(50_000));
    const groups = table?.data.map((row) => Number(row[1])) ?? [];
    expect(groups).toHaveLength(32);
    expect(groups[0]).toBe(1);
    expect(groups.at(-1)).toBeGreaterThan(36);
    expect(String(table?.data[0]?.at(-1))).toHaveLength(20_000);
  });

  it("is not written for a step without rollouts", async () => {
    expect(await tableOf(0, 0)).toBeNull();
  });
});
