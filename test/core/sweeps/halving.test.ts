import { expect, it } from "vitest";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import {
  decide,
  halvedShare,
  halvingFault,
  isReady,
  type MeasuredRow,
  measureAt,
  nextHeat,
} from "../../../src/core/sweeps/halving.ts";
import type { SweepRow } from "../../../src/core/sweeps/sweepRuns.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { rungText } from "../../../src/shared/sweepText.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

interface Outcome {
  readonly reward?: number;
  readonly loss?: number;
  readonly steps?: number;
  readonly phase?: string;
  readonly ending?: object;
}

/** The rows of a sweep whose runs stopped after 3 steps; null = not started. */
function rowsOf<Row extends SweepRow | MeasuredRow = SweepRow>(
  outcomes: Readonly<Record<string, Outcome | null>>,
): readonly Row[] {
  return Object.entries(outcomes).map(([settings, outcome], index) => {
    const run = outcome && {
      phase: outcome.phase ?? "stopped",
      steps: outcome.steps ?? 3,
      recentRewards: outcome.reward === undefined ? [] : [outcome.reward],
      evaluated: [],
      file: { ending: outcome.ending },
      fit: outcome.loss === undefined ? null : { now: outcome.loss, heldOut: null },
    };
    return { combination: { index, settings: settings.split(" ") }, run } as unknown as Row;
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

/** The kept combinations of runs as they were after 3 steps. */
function kept(outcomes: Readonly<Record<string, Outcome | null>>): readonly number[] {
  return decide(rowsOf<MeasuredRow>(outcomes), 3).rung.kept;
}

it("keeps the better half of the settings by the mean of their seeds, rounded up", () => {
  const seeds = {
    "lr=1 seed=1": { reward: 0.9 },
    "lr=1 seed=2": { reward: 0.1 },
    "lr=2 seed=1": { reward: 0.6 },
    "lr=2 seed=2": { reward: 0.6 },
    "lr=3 seed=1": { reward: 0.3 },
    "lr=3 seed=2": { reward: 0.2 },
  };
  expect(kept(seeds)).toEqual([0, 1, 2, 3]);
});

it("keeps the lowest losses of supervised runs", () => {
  expect(kept({ "lr=1": { loss: 2 }, "lr=2": { loss: 0.5 } })).toEqual([1]);
});

it("keeps all settings that are as good as the last one kept", () => {
  const [good, bad] = [{ reward: 0.5 }, { reward: 0.1 }];
  expect(kept({ "lr=1": bad, "lr=2": good, "lr=3": good, "lr=4": good })).toEqual([1, 2, 3]);
  expect(kept({ "lr=1": {}, "lr=2": {} })).toEqual([0, 1]);
});

it("prefers any result to a setting of which a run failed, however good its other seeds are", () => {
  expect(kept({ "lr=1": null, "lr=2": { reward: 0 } })).toEqual([1]);
  const seeds = { "lr=1 seed=1": null, "lr=1 seed=2": { reward: 0.9 } };
  const worse = { "lr=2 seed=1": { reward: 0.1 }, "lr=2 seed=2": { reward: 0.1 } };
  expect(kept({ ...seeds, ...worse })).toEqual([2, 3]);
});

it("drops settings whose rollouts nearly all fail, however good the mean of the others is", async () => {
  const fileSystem = createMemoryFileSystem();
  const measured = [
    { mean: 1, scored_frac: 0.04 },
    { mean: 0.3, scored_frac: 1 },
  ].map(async ({ mean, scored_frac }, index) => {
    const row = { step: 0, rollout: { reward: { mean }, scored_frac } };
    await fileSystem.append(runPaths(`/${index}`).metrics, encodeJsonLine(row));
    const run = { folder: `/${index}`, phase: "stopped", steps: 1, evaluated: [] };
    return { combination: { index, settings: [`lr=${index}`] }, run } as unknown as SweepRow;
  });
  const rows = await measureAt(fileSystem, await Promise.all(measured), 1);
  const { rung, settings } = decide(rows, 1);
  expect(rung.kept).toEqual([1]);
  expect(settings.map(({ result }) => result)).toEqual([0.3, null]);
});

it("names the settings with their results, from the best to the worst", () => {
  const rows = { "lr=1": { reward: 0.2 }, "lr=2": { reward: 0.7 }, "lr=3": null };
  expect(rungText(decide(rowsOf<MeasuredRow>(rows), 3))).toBe(
    "After step 3, 2 of 3 settings go on: lr 2 (0.70), lr 1 (0.20). Dropped: lr 3 (no result). Runs are compared by the mean reward of the last 5 steps.",
  );
});

it("says what to do if no setting has a result", () => {
  expect(rungText(decide(rowsOf<MeasuredRow>({ "lr=1": {}, "lr=2": {} }), 3))).toBe(
    "After step 3, all settings go on, because none has a result: in each, a run or more than 10% of its rollouts failed. Stop the sweep and look at the failed rollouts before they use more steps.",
  );
});

it("compares when each run is at the step or has ended for good", () => {
  const ready = { "lr=1": { steps: 3 }, "lr=2": { steps: 2, phase: "done" } };
  expect(isReady(rowsOf({ ...ready, "lr=3": { steps: 1, phase: "failed" } }), 3)).toBe(true);
  expect(isReady(rowsOf({ ...ready, "lr=3": { steps: 0, phase: "unreadable" } }), 3)).toBe(true);
  expect(isReady(rowsOf({ ...ready, "lr=3": { steps: 2 } }), 3)).toBe(false);
  expect(isReady(rowsOf({ ...ready, "lr=3": { steps: 2, phase: "running" } }), 3)).toBe(false);
  const ending = { code: "token-budget" };
  expect(isReady(rowsOf({ ...ready, "lr=3": { steps: 2, ending } }), 3)).toBe(true);
  expect(isReady(rowsOf({ ...ready, "lr=3": null }), 3)).toBe(true);
});

it("measures longer runs as they were at the step, with losses held out at that step only", async () => {
  const fileSystem = createMemoryFileSystem();
  const rows = [0.1, 0.2, 0.9].map((mean, step) => ({
    step,
    rollout: { reward: { mean } },
    fit: { steps: step + 1, was: 1, now: 1 - mean, held_out: 0.3 },
    ...(step === 0 ? { held_out: { loss: 0.3 } } : {}),
  }));
  for (const row of rows) await fileSystem.append(runPaths("/r").metrics, encodeJsonLine(row));
  const evaluated = [2, 3].map((step) => ({ cell: "a", step, reward: step }));
  const run = { folder: "/r", phase: "running", steps: 3, evaluated, file: null };
  const row = { combination: { index: 0, settings: [] }, run } as unknown as SweepRow;
  const [second] = await measureAt(fileSystem, [row], 2);
  expect(second?.run).toEqual({
    phase: "done",
    steps: 2,
    file: null,
    recentRewards: [0.1, 0.2],
    evaluated: [{ cell: "a", step: 2, reward: 2 }],
    fit: { steps: 2, was: 1, now: 0.8, heldOut: null },
  });
  const [first] = await measureAt(fileSystem, [row], 1);
  expect(first?.run?.fit?.heldOut).toBe(0.3);
});

it.each([
  [{ "lr=1": 12, "lr=2": 12, "lr=3": 12, "lr=4": 12 }, 0.5],
  [{ "lr=1": 4, "lr=2": 12 }, 15 / 16],
  [{ "lr=1": null, "lr=2": 12 }, null],
])("the share of steps that is trained with a decision after step 3: %o", (steps, share) => {
  expect(halvedShare(rowsTo(steps), 3)).toBe(share);
});

/** The rows of a sweep whose runs end after these steps; null = never. */
function rowsTo(steps: Readonly<Record<string, number | null | undefined>>): readonly SweepRow[] {
  return Object.entries(steps).map(([setting, max_steps], index) => {
    return { combination: { index, settings: [setting], config: { max_steps } } };
  }) as unknown as readonly SweepRow[];
}

it.each([
  [{ "seed=1": 9, "seed=2": 9 }, /differ at most in their seed/],
  [{ "lr=1": 3, "lr=2": 3 }, /No run has more than 3 steps/],
  [{ "lr=1": 3, "lr=2": 4 }, null],
  [{ "lr=1": null, "lr=2": 3 }, null],
])("what cannot be halved after 3 steps is reported: %o", (steps, fault) => {
  const found = halvingFault(rowsTo(steps), 3);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});
