import { describe, expect, it } from "vitest";
import { rewardParts } from "../../../src/core/changes/rewardParts.ts";
import { createUniform } from "../../../src/shared/uniform.ts";

const rollout = (group: number, reward: number | null, split = "train") => ({
  environment: "a/b",
  split,
  group,
  reward,
});
type Rollouts = Parameters<typeof rewardParts>[0];
const partsBy = (by: string, rollouts: Rollouts) =>
  rewardParts(rollouts, 20).filter((part) => part.by === by);
const meansBy = (by: string, rollouts: Rollouts) =>
  Object.fromEntries(partsBy(by, rollouts).map(({ name, mean }) => [name, mean]));

describe("rewards of splits", () => {
  it("are means over each split's rollouts, without those that have no reward", () => {
    const rollouts = [
      rollout(0, 1),
      rollout(0, 0),
      rollout(1, 1, "hard"),
      rollout(1, null, "hard"),
    ];
    expect(meansBy("split", rollouts)).toEqual({ "a/b train": 0.5, "a/b hard": 1 });
    expect(partsBy("split", rollouts).map((part) => part.rollouts)).toEqual([2, 1]);
  });

  it("have the confidence interval of the mean over tasks if there are several", () => {
    const rollouts = [rollout(0, 1), rollout(1, 0), rollout(2, 1, "hard")];
    const [train, hard] = partsBy("split", rollouts);
    expect(train).toMatchObject({ mean: 0.5, low: expect.closeTo(0.0945, 4) });
    expect(hard).toMatchObject({ mean: 1, low: null, high: null });
  });

  it("exist in a step whose rollouts are all from one split", () => {
    expect(meansBy("split", [rollout(0, 1), rollout(1, 0)])).toEqual({ "a/b train": 0.5 });
  });

  it("are limited in number", () => {
    const rollouts = Array.from({ length: 50 }, (_, at) => rollout(at, 1, `s${at}`));
    expect(Object.keys(meansBy("split", rollouts))).toHaveLength(20);
  });
});

describe("rewards of environments", () => {
  it("are means over each environment's rollouts", () => {
    const rollouts = [rollout(0, 1), { ...rollout(1, 0), environment: "c/d" }];
    expect(meansBy("environment", rollouts)).toEqual({ "a/b": 1, "c/d": 0 });
  });
});

describe("rewards of thirds of the tasks", () => {
  it("weigh each group once, ordered by the half of its rollouts that is not shown", () => {
    const group = (at: number, rewards: readonly number[]) =>
      rewards.map((reward) => rollout(at, reward));
    const rollouts = [
      ...group(0, [1, 1, 1, 1, 1, 1]),
      ...group(1, [0, 0.25, 0, 0.25]),
      ...group(2, [0.5, 0.5]),
    ];
    expect(meansBy("difficulty", rollouts)).toEqual({ hard: 0.125, middle: 0.5, easy: 1 });
  });

  it("are equal if all tasks are equally hard", () => {
    const uniform = createUniform(1);
    const rollouts = Array.from({ length: 2_400 }, (_, at) =>
      rollout(Math.floor(at / 8), uniform() < 0.5 ? 1 : 0),
    );
    const { hard = 0, easy = 0 } = meansBy("difficulty", rollouts);
    expect(Math.abs(easy - hard)).toBeLessThan(0.06);
  });

  it("include each rollout once", () => {
    for (const count of [3, 4, 5, 7, 8]) {
      const rollouts = Array.from({ length: 2 * count }, (_, at) => rollout(at >> 1, at >> 1));
      const parts = partsBy("difficulty", rollouts);
      expect(parts.reduce((sum, part) => sum + part.rollouts, 0)).toBe(2 * count);
      expect(parts.map(({ mean }) => mean)).toEqual(parts.map(({ mean }) => mean).sort());
    }
  });

  it("require three groups with two rewards", () => {
    const pairs = [0, 0, 1, 1].map((group) => rollout(group, 1));
    expect(partsBy("difficulty", [...pairs, rollout(2, 1), rollout(2, null)])).toEqual([]);
  });
});
