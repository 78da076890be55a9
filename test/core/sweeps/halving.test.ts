import { expect, it } from "vitest";
import { decide, isReady, nextHeat } from "../../../src/core/sweeps/halving.ts";
import type { SweepRow } from "../../../src/core/sweeps/sweepRuns.ts";

interface Outcome {
  readonly reward?: number;
  readonly loss?: number;
  readonly steps?: number;
  readonly phase?: string;
}

/** The rows of a sweep whose runs stopped after 3 steps; null = not started. */
function rowsOf(outcomes: Readonly<Record<string, Outcome | null>>): readonly SweepRow[] {
  return Object.entries(outcomes).map(([settings, outcome], index) => {
    const run = outcome && {
      phase: outcome.phase ?? "stopped",
      steps: outcome.steps ?? 3,
      recentRewards: outcome.reward === undefined ? [] : [outcome.reward],
      evaluated: [],
      fit: outcome.loss === undefined ? null : { now: outcome.loss, heldOut: null },
    };
    return { combination: { index, settings: settings.split(" ") }, run } as unknown as SweepRow;
  });
}

const FOUR = { "lr=1": null, "lr=2": null, "lr=3": null, "lr=4": null };

it("trains all, then half as many for twice as long each time, and the last one to its end", () => {
  const rows = rowsOf(FOUR);
  const heats = [
    [],
    [{ step: 3, kept: [1, 3] }],
    [
      { step: 3, kept: [1, 3] },
      { step: 6, kept: [3] },
    ],
  ].map((rungs) => {
    const { rows: own, stopAt } = nextHeat(rows, 3, rungs);
    return [own.map(({ combination }) => combination.index), stopAt];
  });
  expect(heats).toEqual([
    [[0, 1, 2, 3], 3],
    [[1, 3], 6],
    [[3], null],
  ]);
});

it("does not stop runs that differ only in their seed", () => {
  expect(nextHeat(rowsOf({ "seed=1": null, "seed=2": null }), 3, []).stopAt).toBeNull();
});

it("keeps the better half of the settings by the mean of their seeds, rounded up", () => {
  const rows = rowsOf({
    "lr=1 seed=1": { reward: 0.9 },
    "lr=1 seed=2": { reward: 0.1 },
    "lr=2 seed=1": { reward: 0.6 },
    "lr=2 seed=2": { reward: 0.6 },
    "lr=3 seed=1": { reward: 0.3 },
    "lr=3 seed=2": { reward: 0.2 },
  });
  expect(decide(rows, 3)).toEqual({ step: 3, kept: [0, 1, 2, 3] });
});

it("keeps the lowest losses of supervised runs", () => {
  const rows = rowsOf({ "lr=1": { loss: 2 }, "lr=2": { loss: 0.5 } });
  expect(decide(rows, 3).kept).toEqual([1]);
});

it("prefers any result to a failed run, however good its rewards were", () => {
  const failed = { phase: "failed", steps: 1, reward: 1 };
  expect(decide(rowsOf({ "lr=1": failed, "lr=2": { reward: 0 } }), 3).kept).toEqual([1]);
});

it("keeps all runs while none has a result", () => {
  expect(decide(rowsOf({ "lr=1": {}, "lr=2": {} }), 3).kept).toEqual([0, 1]);
});

it("compares only when each run is at the step, done or failed", () => {
  const ready = { "lr=1": { steps: 3 }, "lr=2": { steps: 2, phase: "done" } };
  expect(isReady(rowsOf({ ...ready, "lr=3": { steps: 1, phase: "failed" } }), 3)).toBe(true);
  expect(isReady(rowsOf({ ...ready, "lr=3": { steps: 2 } }), 3)).toBe(false);
  expect(isReady(rowsOf({ ...ready, "lr=3": null }), 3)).toBe(false);
});
