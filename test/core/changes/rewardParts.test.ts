import { describe, expect, it } from "vitest";
import { rewardParts } from "../../../src/core/changes/rewardParts.ts";

const rollout = (group: number, reward: number | null, split = "train") => ({
  ...{ environment: "a/b", split, group, reward },
});
const meansBy = (by: string, rollouts: Parameters<typeof rewardParts>[0]) =>
  Object.fromEntries(
    rewardParts(rollouts, 20).flatMap((part) => (part.by === by ? [[part.name, part.mean]] : [])),
  );

describe("rewards of splits", () => {
  it("are means over the rollouts of each, those without a reward left out", () => {
    const rollouts = [
      rollout(0, 1),
      rollout(0, 0),
      rollout(1, 1, "hard"),
      rollout(1, null, "hard"),
    ];
    expect(meansBy("split", rollouts)).toEqual({ "a/b train": 0.5, "a/b hard": 1 });
    expect(meansBy("environment", rollouts)).toEqual({});
    expect(rewardParts(rollouts, 20).map((part) => part.rollouts)).toEqual([2, 1]);
  });

  it("have the interval of the mean over tasks, where there are several", () => {
    const rollouts = [rollout(0, 1), rollout(1, 0), rollout(2, 1, "hard")];
    const [train, hard] = rewardParts(rollouts, 20);
    expect(train).toMatchObject({ mean: 0.5, low: expect.closeTo(0.0945, 4) });
    expect(hard).toMatchObject({ mean: 1, low: null, high: null });
  });

  it("are left out of a step that has one split", () => {
    expect(rewardParts([rollout(0, 1), rollout(1, 0)], 20)).toEqual([]);
  });

  it("are bounded", () => {
    const rollouts = Array.from({ length: 50 }, (_, at) => rollout(at, 1, `s${at}`));
    expect(Object.keys(meansBy("split", rollouts))).toHaveLength(20);
  });
});

describe("rewards of environments", () => {
  it("are drawn where there are several", () => {
    const rollouts = [rollout(0, 1), { ...rollout(1, 0), environment: "c/d" }];
    expect(meansBy("environment", rollouts)).toEqual({ "a/b": 1, "c/d": 0 });
  });
});

describe("rewards of thirds of the tasks", () => {
  it("order groups by their means and weigh each group once", () => {
    const rollouts = [
      ...[rollout(0, 1), rollout(0, 1), rollout(0, 1), rollout(0, 1)],
      ...[rollout(1, 0), rollout(1, 0.5)],
      ...[rollout(2, 0.5)],
      ...[rollout(3, 0)],
      ...[rollout(4, 0.75)],
      ...[rollout(5, 0.5)],
    ];
    // Means: 0 and 0.25, 0.5 and 0.5, 0.75 and 1.
    expect(meansBy("difficulty", rollouts)).toEqual({ hard: 0.125, middle: 0.5, easy: 0.875 });
  });

  it("take every group into one third", () => {
    for (const count of [3, 4, 5, 7, 8]) {
      const rollouts = Array.from({ length: count }, (_, at) => rollout(at, at));
      const parts = rewardParts(rollouts, 20);
      expect(parts.reduce((sum, part) => sum + part.rollouts, 0)).toBe(count);
      expect(parts.map(({ mean }) => mean)).toEqual(parts.map(({ mean }) => mean).sort());
    }
  });

  it("need three groups with rewards", () => {
    expect(rewardParts([rollout(0, 1), rollout(1, 0), rollout(2, null)], 20)).toEqual([]);
  });
});
