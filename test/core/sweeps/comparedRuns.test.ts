import { expect, it } from "vitest";
import { compareRuns, lossesOf } from "../../../src/core/sweeps/comparedRuns.ts";

/** A finished run of a grid, with a reward or with losses. */
function aRun(
  settings: readonly string[],
  { reward = null, now = null, heldOut = null }: Partial<Record<string, number | null>>,
) {
  const fit = now === null ? null : { steps: 4, was: 2, now, heldOut };
  return { combination: { settings }, run: { reward, fit, phase: "done", steps: 4 } } as const;
}

/** What was compared, by the values of the first setting. */
function compared(runs: Parameters<typeof compareRuns>[0]) {
  const { by, effects } = compareRuns(runs);
  const [first] = effects.settings;
  const results = first?.values.flatMap(({ points }) => points.map(({ result }) => result));
  return { by, results, left: effects.left };
}

it("compares rewards, and leaves supervised runs out beside them", () => {
  const runs = [
    aRun(["method=rl", "seed=1"], { reward: 0.5 }),
    aRun(["method=rl", "seed=2"], { reward: 0.6 }),
    aRun(["method=sft", "seed=1"], { now: 3 }),
  ];
  expect(compared(runs)).toEqual({ by: "reward", results: [0.5, 0.6], left: 1 });
  expect(lossesOf(runs)).toEqual([null, null, 3]);
});

it("compares held-out losses where each supervised run has one, also while others have not started", () => {
  const runs = [
    aRun(["lora_rank=4"], { now: 1, heldOut: 1.5 }),
    aRun(["lora_rank=8"], { now: 0.5, heldOut: 2 }),
    { combination: { settings: ["lora_rank=16"] }, run: null },
  ];
  expect(compared(runs)).toEqual({ by: "heldOut", results: [1.5, 2], left: 1 });
});

it("compares training losses of all where one holds nothing out", () => {
  const runs = [aRun(["held_out=0"], { now: 1 }), aRun(["held_out=10"], { now: 0.5, heldOut: 2 })];
  expect(compared(runs)).toEqual({ by: "now", results: [1, 0.5], left: 0 });
  expect(lossesOf(runs)).toEqual([1, 0.5]);
});

it("compares rewards while no run has anything", () => {
  expect(compareRuns([aRun(["seed=1"], {})]).by).toBe("reward");
});
