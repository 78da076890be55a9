import { expect, it } from "vitest";
import { compareRuns, lossesOf } from "../../../src/core/sweeps/comparedRuns.ts";
import type { SweepChange } from "../../../src/shared/runFile.ts";
import type { EvaluatedReward } from "../../../src/shared/sweepResult.ts";

/** A finished run of a grid, with a reward or with losses. */
function aRun(
  settings: readonly string[],
  {
    rewards = [],
    evaluated = [],
    now = null,
    heldOut = null,
    left,
  }: {
    readonly rewards?: readonly (number | null)[];
    readonly evaluated?: readonly EvaluatedReward[];
    readonly now?: number | null;
    readonly heldOut?: number | null;
    readonly left?: SweepChange;
  },
) {
  const fit = now === null ? null : { steps: 4, was: 2, now, heldOut };
  const sweep = { id: "s", name: "sweep", combination: 0, combinations: 2, settings, left };
  const run = { recentRewards: rewards, evaluated, fit, file: { sweep } } as const;
  return { combination: { settings }, run: { ...run, phase: "done", steps: 4 } as const };
}

/** Mean rewards at temperature 1 and greedy, in that order. */
function evaluatedAt(step: number, ...rewards: readonly number[]): readonly EvaluatedReward[] {
  return rewards.map((reward, index) => {
    return { cell: `Owner/Game test ${["temperature 1", "greedy"][index]}`, step, reward };
  });
}

/** The compared values, by the values of the first setting. */
function compared(runs: Parameters<typeof compareRuns>[0]) {
  const { by, effects } = compareRuns(runs);
  const [first] = effects.settings;
  const results = first?.values.flatMap(({ points }) => points.map(({ result }) => result));
  return { by, results, left: effects.left };
}

it("compares rewards, and ignores supervised runs next to them", () => {
  const runs = [
    aRun(["method=rl", "seed=1"], { rewards: [0.5] }),
    aRun(["method=rl", "seed=2"], { rewards: [0.6] }),
    aRun(["method=sft", "seed=1"], { now: 3 }),
  ];
  expect(compared(runs)).toEqual({ by: { kind: "reward" }, results: [0.5, 0.6], left: 1 });
  expect(lossesOf(runs)).toEqual([null, null, 3]);
});

it("leaves out a run that changed a setting of the sweep", () => {
  const left = { step: 2, keys: ["learning_rate"] };
  const runs = [
    aRun(["learning_rate=1", "seed=0"], { rewards: [0.5] }),
    aRun(["learning_rate=1", "seed=1"], { rewards: [0.9], left }),
  ];
  expect(compared(runs)).toMatchObject({ results: [0.5], left: 1 });
});

it("compares held-out losses if each supervised run has one, even before others have started", () => {
  const runs = [
    aRun(["lora_rank=4"], { now: 1, heldOut: 1.5 }),
    aRun(["lora_rank=8"], { now: 0.5, heldOut: 2 }),
    { combination: { settings: ["lora_rank=16"] }, run: null },
  ];
  expect(compared(runs)).toEqual({ by: { kind: "heldOut" }, results: [1.5, 2], left: 1 });
});

it("compares everyone's training losses if one run holds nothing out", () => {
  const runs = [aRun(["held_out=0"], { now: 1 }), aRun(["held_out=10"], { now: 0.5, heldOut: 2 })];
  expect(compared(runs)).toEqual({ by: { kind: "now" }, results: [1, 0.5], left: 0 });
  expect(lossesOf(runs)).toEqual([1, 0.5]);
});

it("compares rewards while no run has results", () => {
  expect(compareRuns([aRun(["seed=1"], {})]).by).toEqual({ kind: "reward" });
});

it("compares the evaluation after the most steps that all runs reached", () => {
  const runs = [
    aRun(["learning_rate=1e-3"], {
      rewards: [0.6],
      evaluated: [...evaluatedAt(0, 0, 0), ...evaluatedAt(2, 0.3, 0.4), ...evaluatedAt(4, 0.5, 1)],
    }),
    aRun(["learning_rate=8e-3"], {
      rewards: [0.7],
      evaluated: [...evaluatedAt(2, 0.2, 0.3), ...evaluatedAt(4, 0.4, 0.5)],
    }),
  ];
  const by = { kind: "evaluation", cell: "Owner/Game test temperature 1", step: 4 };
  expect(compared(runs)).toEqual({ by, results: [0.5, 0.4], left: 0 });
});

it("compares the means of the last five steps if no evaluation is shared, except one before training", () => {
  const runs = [
    aRun(["batch_size=4"], { rewards: [1, 0, 0, 0.5, 0.5, 1], evaluated: evaluatedAt(0, 0.1) }),
    aRun(["batch_size=8"], { rewards: [null, 0.5], evaluated: evaluatedAt(0, 0.1) }),
  ];
  expect(compared(runs)).toEqual({ by: { kind: "reward" }, results: [0.4, 0.5], left: 0 });
});
