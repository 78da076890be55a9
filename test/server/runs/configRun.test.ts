import { describe, expect, it } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { lenses } from "../../../src/core/config/editing/display/lenses.ts";
import { newestRun } from "../../../src/server/runs/configRun.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import * as entries from "../../host/runEntries.ts";

const PATH = "/projects/tinker-config.yaml";

function aRun(changes: Partial<RunEntry>, configPath = PATH): RunEntry {
  const ended = { folder: "/runs/demo", phase: "done", isLive: false, reward: 0.9 } as const;
  return entries.aRun({ ...ended, file: aRunFile({ configPath }), ...changes });
}

describe("the newest run of a configuration", () => {
  it("is null for a configuration that was never trained", () => {
    expect(newestRun([aRun({}, "/other.yaml")], PATH)).toEqual({
      status: { kind: "none" },
      folder: null,
    });
  });

  it("is the first of the list, with its outcome", () => {
    const runs = [aRun({ phase: "stopped", folder: "/runs/b" }), aRun({})];
    expect(newestRun(runs, PATH)).toEqual({
      status: { kind: "ended", outcome: "stopped", reward: 0.9 },
      folder: "/runs/b",
    });
  });

  it("is found by another spelling of its path", () => {
    const run = aRun({}, "/projects/./tinker-config.yaml");
    expect(newestRun([run], PATH).folder).toBe("/runs/demo");
  });

  it.each([
    ["at its first step", 0, 200],
    ["at its last step", 200, 200],
    ["without an end", 500, null],
  ])("for a run %s: the reward is that of the last completed step", (_, steps, totalSteps) => {
    const { status } = newestRun([aRun({ isLive: true, steps, totalSteps })], PATH);
    expect(status).toEqual({ kind: "running", completed: steps, steps: totalSteps, reward: 0.9 });
  });
});

it("the lens above a configuration pairs a step with its own reward", () => {
  const run = aRun({ isLive: true, steps: 12, totalSteps: 200, reward: 0.63 });
  const { status } = newestRun([run], PATH);
  const found = lenses("model_name: local/tiny-tool\n", { path: PATH, status });
  expect(found.map(({ title }) => title)).toContain("Step 12/200 · 0.63");
});
