import { describe, expect, it } from "vitest";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import { checkpointRow } from "../../../src/host/views/checkpointRow.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";

const NOW_MS = Date.UTC(2026, 10, 22);
const HOUR_MS = 3_600_000;

function row(
  kind: CheckpointEntry["kind"],
  hours: number | null,
  isHosted = false,
  metrics: CheckpointEntry["metrics"] = {},
) {
  const expires_at = hours === null ? null : new Date(NOW_MS + hours * HOUR_MS).toISOString();
  return checkpointRow(aCheckpointEntry({ name: "a", step: 10, kind, metrics, expires_at }), {
    nowMs: NOW_MS,
    isHosted,
  });
}

describe("the row of a checkpoint", () => {
  it.each([
    ["periodic", null, "periodic · state", "checkpoint+periodic"],
    ["periodic", 48, "periodic · expires in 2 d 0 h · state", "checkpoint+periodic"],
    ["periodic", 5, "periodic · expires in 5 h 00 min · state", "checkpoint+periodic+expiring"],
    // These vary by design.
    ["rolling", 5, "rolling · expires in 5 h 00 min · state", "checkpoint+rolling"],
  ] as const)("of kind %s with %j hours left reads %j", (kind, hours, description, context) => {
    expect(row(kind, hours)).toMatchObject({ description, context });
  });

  it("shows the reward before the parts that a narrow side bar may cut off", () => {
    const metrics = { "rollout/reward/mean": 0.58 };
    expect(row("rolling", 5, false, metrics).description).toBe(
      "0.58 · rolling · expires in 5 h 00 min · state",
    );
  });

  it("formats its step like all step numbers", () => {
    const entry = { name: "a", step: 1_200, epoch: 0, position: 0, kind: "final", metrics: {} };
    const places = { state_path: "tinker://r/weights/a", sampler_path: null, expires_at: null };
    const stored = { ...entry, ...places, renderer: "r", created_at: "" } as CheckpointEntry;
    const { label, spoken } = checkpointRow(stored, { nowMs: NOW_MS, isHosted: false });
    expect(label).toBe("Step 1,200");
    expect(spoken).toMatch(/^checkpoint a after step 1,200, /);
  });

  it("at Tinker has the context value that shows Publish in its menu", () => {
    expect(row("periodic", null, true).context).toBe("checkpoint+periodic+hosted");
    expect(row("final", 5, true).context).toBe("checkpoint+final+expiring+hosted");
  });
});
