import { describe, expect, it } from "vitest";
import { evaluationSeed, type RolloutKey, rolloutSeed } from "../../../src/core/rollout/seeds.ts";
import { sha256 } from "../../../src/node/hash.ts";

const key: RolloutKey = { step: 0, environment: "a/b", split: "train", index: 3, rollout: 0 };

describe("the seed of a sample", () => {
  it.each<[rollout: number, turn: number, seed: number]>([
    [0, 0, 1688542037],
    [0, 1, 733528665],
    [1, 0, 241969985],
  ])("of rollout %i in turn %i is %i", (rollout, turn, seed) => {
    expect(rolloutSeed(sha256, 42, { ...key, rollout }, 0, turn)).toBe(seed);
  });

  it("differs with everything it is made of", () => {
    const seeds = [
      rolloutSeed(sha256, 42, key, 0, 0),
      rolloutSeed(sha256, 43, key, 0, 0),
      rolloutSeed(sha256, 42, { ...key, step: 1 }, 0, 0),
      rolloutSeed(sha256, 42, { ...key, environment: "a/c" }, 0, 0),
      rolloutSeed(sha256, 42, { ...key, split: "test" }, 0, 0),
      rolloutSeed(sha256, 42, { ...key, index: 4 }, 0, 0),
      rolloutSeed(sha256, 42, { ...key, rollout: 1 }, 0, 0),
      rolloutSeed(sha256, 42, key, 1, 0),
      rolloutSeed(sha256, 42, key, 0, 1),
      evaluationSeed(sha256, 42, key, 0, 0),
    ];
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it("fits into 31 bits", () => {
    for (let turn = 0; turn < 50; turn++) {
      const seed = rolloutSeed(sha256, 42, key, 0, turn);
      expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
    }
  });

  it("in an evaluation is the same at every step", () => {
    const later = { ...key, step: 7 };
    expect(evaluationSeed(sha256, 42, later, 0, 0)).toBe(evaluationSeed(sha256, 42, key, 0, 0));
  });
});
