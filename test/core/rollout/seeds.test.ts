import { describe, expect, it } from "vitest";
import {
  type EvaluationKey,
  evaluationSeed,
  type RolloutSeedKey,
  rolloutSeed,
} from "../../../src/core/rollout/seeds.ts";
import { sha256 } from "../../../src/node/hash.ts";

const key: RolloutSeedKey = { taskKey: "a/b:train:3#0", rollout: 0 };
const task: EvaluationKey = { environment: "a/b", split: "train", index: 3, rollout: 0 };

describe("the seed of a sample", () => {
  it.each<[rollout: number, turn: number, seed: number]>([
    [0, 0, 1773902613],
    [0, 1, 1717845037],
    [1, 0, 1175997756],
  ])("of rollout %i in turn %i is %i", (rollout, turn, seed) => {
    expect(rolloutSeed(sha256, 42, { ...key, rollout }, turn)).toBe(seed);
  });

  it("depends on every part of its key", () => {
    const seeds = [
      rolloutSeed(sha256, 42, key, 0),
      rolloutSeed(sha256, 43, key, 0),
      rolloutSeed(sha256, 42, { ...key, taskKey: "a/b:train:3#8" }, 0),
      rolloutSeed(sha256, 42, { ...key, taskKey: "a/b:train:4#0" }, 0),
      rolloutSeed(sha256, 42, { ...key, rollout: 1 }, 0),
      rolloutSeed(sha256, 42, key, 1),
      evaluationSeed(sha256, 42, task, 0),
      evaluationSeed(sha256, 42, { ...task, environment: "a/c" }, 0),
      evaluationSeed(sha256, 42, { ...task, split: "test" }, 0),
      evaluationSeed(sha256, 42, { ...task, index: 4 }, 0),
      evaluationSeed(sha256, 42, { ...task, rollout: 1 }, 0),
    ];
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it("fits in 31 bits", () => {
    for (let turn = 0; turn < 50; turn++) {
      const seed = rolloutSeed(sha256, 42, key, turn);
      expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
    }
  });
});
