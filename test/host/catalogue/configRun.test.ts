import { describe, expect, it } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { lenses } from "../../../src/core/config/editing/display/lenses.ts";
import { newestRun } from "../../../src/host/catalogue/configRun.ts";
import { aRun as otherARun } from "../views/runEntries.ts";

const PATH = "/projects/tinker-config.yaml";

/** A run with what help for configurations looks at. */
function aRun(rest: Partial<RunEntry>, configPath = PATH): RunEntry {
  const run = {
    folder: "/runs/demo",
    phase: "done",
    steps: 200,
    totalSteps: 200,
    reward: 0.9,
    isLive: false,
    file: { configPath },
    ...rest,
  };
  return run as RunEntry;
}

describe("the newest run of a configuration", () => {
  it("is null for a configuration that was never trained", () => {
    expect(newestRun([aRun({}, "/other.yaml")], PATH)).toEqual({ status: { kind: "none" } });
  });

  it("is the first of the list, with its outcome", () => {
    const runs = [aRun({ phase: "stopped", folder: "/runs/b" }), aRun({})];
    expect(newestRun(runs, PATH)).toEqual({
      status: { kind: "ended", outcome: "stopped", reward: 0.9 },
      target: { folder: "/runs/b" },
    });
  });

  it.each([
    ["at its first step", 0, 200],
    ["at its last step", 200, 200],
    ["without an end", 500, null],
  ])("runs %s: the reward is that of the last completed step", (_, steps, totalSteps) => {
    const { status } = newestRun([aRun({ isLive: true, steps, totalSteps })], PATH);
    expect(status).toEqual({ kind: "running", completed: steps, steps: totalSteps, reward: 0.9 });
  });
});

it("the line above a configuration pairs a step with its own reward", () => {
  const path = "/projects/tinker-config.yaml";
  const file = { configPath: path } as never; // all that is looked at
  const run = otherARun({ steps: 12, totalSteps: 200, reward: 0.63, file });
  const { status } = newestRun([run], path);
  const titles = lenses("model_name: local/tiny-tool\n", { path, status }).map(
    ({ title }) => title,
  );
  expect(titles).toContain("Step 12/200 · 0.63");
});
