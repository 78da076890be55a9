import { expect, it } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { byAttention } from "../../../src/host/views/runOrder.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { aRun } from "../runEntries.ts";

const NOW_MS = 1_800_000_000_000;

/** With a separate configuration. */
function run(name: string, changes: Partial<RunEntry>, configPath = name): RunEntry {
  return aRun({ name, file: aRunFile({ configPath }), ...changes });
}

function order(runs: readonly RunEntry[]): readonly string[] {
  return byAttention(runs, NOW_MS).map(({ name }) => name);
}

const ended = { isLive: false } as const;

it("runs in progress come first, then waiting runs, then the newest", () => {
  const runs = [
    run("newest done", { phase: "done", ...ended }),
    run("stopped", { phase: "stopped", ...ended }),
    run("failed", { phase: "failed", ...ended }),
    run("preparing", { phase: "preparing" }),
    run("paused", { phase: "paused" }),
    run("running", { phase: "running" }),
    run("interrupted", { phase: "interrupted", ...ended }),
    run("oldest done", { phase: "done", ...ended }),
  ];
  expect(order(runs)).toEqual([
    "running",
    ...["failed", "preparing", "paused", "interrupted"],
    ...["newest done", "stopped", "oldest done"],
  ]);
});

it("a failed run needs no attention once its configuration was trained again", () => {
  const again = run("again", { phase: "done", ...ended }, "a.yaml");
  const other = run("other", { phase: "done", ...ended }, "b.yaml");
  const failed = run("failed", { phase: "failed", ...ended }, "a.yaml");
  expect(order([other, failed])).toEqual(["failed", "other"]);
  expect(order([again, other, failed])).toEqual(["again", "other", "failed"]);
});

it("a failed training still needs attention after an evaluation of its configuration", () => {
  const evaluation = { digest: "d", models: [] };
  const file = aRunFile({ configPath: "a.yaml", evaluation });
  const evaluated = run("evaluated", { phase: "done", ...ended, file });
  const failed = run("failed", { phase: "failed", ...ended }, "a.yaml");
  expect(order([evaluated, failed])).toEqual(["failed", "evaluated"]);
});

it("a run whose last state expires within a day needs attention", () => {
  const expiry = { atMs: NOW_MS + 3_600_000, repeats: 3 };
  const done = run("done", { phase: "done", ...ended });
  expect(order([done, run("expiring", { phase: "stopped", expiry, ...ended })])).toEqual([
    "expiring",
    "done",
  ]);
});
