/** The menu of every run offered to show what an alarm rests on, also where no alarm had ever fired. */

import { expect, it } from "vitest";
import { readRun } from "../../src/core/runs/runList.ts";
import { encodeJsonLine } from "../../src/core/util/jsonl.ts";
import { COMMANDS } from "../../src/host/manifest/commandTable.ts";
import { runRow } from "../../src/host/views/runRow.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { aRun } from "../host/views/runEntries.ts";

const PLAIN = { isArchived: false, isSpinning: false };
const LIVENESS = { nowMs: 0, isProcessAlive: () => false };

/** Whether the menu of a row offers it: the regular expression of its when clause. */
function isOffered(contextValue: string): boolean {
  const when = COMMANDS.get("showAlarm")?.menus?.[0]?.when ?? "";
  const pattern = /viewItem =~ \/(.+)\/$/.exec(when)?.[1];
  if (pattern === undefined) throw new Error(`This clause does not look at the row: ${when}`);
  return new RegExp(pattern).test(contextValue);
}

async function listed(alarm: object) {
  const fileSystem = createMemoryFileSystem();
  const file = {
    schemaVersion: 1,
    runId: "r",
    name: "demo",
    pid: 1,
    host: "here",
    owner: "terminal",
    phase: "stopped",
    startedAtMs: 0,
    heartbeatAtMs: 0,
    generation: 0,
    attempt: 1,
    configPath: "/c.yaml",
    control: null,
  };
  await fileSystem.writeAtomic("/runs/demo/run.json", Buffer.from(JSON.stringify(file)));
  for (const row of [
    { step: 0, alarm: { entropy_collapse: 1 } },
    { step: 1, alarm },
  ]) {
    await fileSystem.append("/runs/demo/metrics.jsonl", encodeJsonLine(row));
  }
  return readRun(fileSystem, { name: "demo", folder: "/runs/demo" }, LIVENESS);
}

it("knows from the last row which alarms of a run fire", async () => {
  const fires = await listed({ entropy_collapse: 0, reward_decline: 1, of_another_version: 1 });
  expect(fires?.alarms).toEqual(["reward_decline"]);
  expect((await listed({ entropy_collapse: 0 }))?.alarms).toEqual([]);
});

it("offers the evidence where an alarm fires, and says so to screen readers", () => {
  const healthy = runRow(aRun(), PLAIN);
  const ill = runRow(aRun({ alarms: ["reward_decline"] }), PLAIN);
  expect([isOffered(healthy.context), isOffered(ill.context)]).toEqual([false, true]);
  expect(ill.spoken).toContain("alarm: The reward falls from its best");
  expect(healthy.spoken).not.toContain("alarm");
});
