import { describe, expect, it } from "vitest";
import type { EvaluationEntry, StoredResult } from "../../../src/core/runFolder/evaluationLog.ts";
import { heldOutRewards, runSentence } from "../../../src/core/runs/runSentence.ts";
import { trendOf } from "../../../src/shared/trend.ts";
import { createUniform } from "../../../src/shared/uniform.ts";

type Curve = (step: number) => number;

const trainedAt = (): number => 1;
const SEEDS = 200;
/** Of a step's mean reward. */
const NOISE = 0.07;

/** The sentence about rewards on a curve over steps from 0. */
function sentenceOf(steps: number, at: Curve, evaluations: readonly EvaluationEntry[] = []) {
  const points = Array.from({ length: steps }, (_, step) => ({ step, value: at(step) }));
  const known = points.filter(({ value }) => !Number.isNaN(value));
  return runSentence({ trend: trendOf(known), heldOut: heldOutRewards(evaluations, trainedAt) });
}

/** The same with noise, for many seeds. */
function noisySentences(steps: number, at: Curve): readonly (string | null)[] {
  return Array.from({ length: SEEDS }, (_, seed) => {
    const uniform = createUniform(1 + seed);
    const normal = (): number =>
      Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
    return sentenceOf(steps, (step) => at(step) + NOISE * normal());
  });
}

function share(sentences: readonly (string | null)[], pattern: RegExp): number {
  return sentences.filter((text) => text !== null && pattern.test(text)).length / sentences.length;
}

const rise: Curve = (step) => 0.16 + (0.68 * step) / 39;
const collapse: Curve = (step) =>
  step < 5 ? 0.2 + 0.13 * step : Math.max(0.23, 0.72 - 0.05 * (step - 4));
const fallenLongAgo: Curve = (step) =>
  step < 40 ? 0.2 + 0.015 * step : Math.max(0.5, 0.8 - 0.015 * (step - 39));
const recovering: Curve = (step) =>
  step < 15 ? 0.7 : step < 25 ? 0.25 : Math.min(0.7, 0.25 + 0.03 * (step - 24));

function result(changes: Partial<StoredResult> = {}): StoredResult {
  return {
    environment: "math",
    split: "test",
    temperature: 1,
    tasks: 128,
    rollouts: 128,
    rewardMean: 0.5,
    low: null,
    high: null,
    successFraction: 0.5,
    failed: 0,
    failureReward: 0,
    tokensMean: null,
    turnsMean: null,
    successReward: 1,
    passAtK: [],
    ...changes,
  };
}

function evaluation(step: number, ...results: readonly StoredResult[]): EvaluationEntry {
  return { step, purpose: "periodic", timeMs: 0, results };
}

describe("the sentence about a run", () => {
  it("reports where a simulated movement began, and the reward then and now", () => {
    expect(sentenceOf(40, rise)).toBe("Learning: 0.17 → 0.83 in 40 steps");
    for (const steps of [15, 20, 40, 60, 300]) {
      expect(sentenceOf(steps, collapse)).toMatch(
        /^Falling since step 5: was 0\.70, now 0\.2[35]$/,
      );
    }
    expect(sentenceOf(30, () => 0.5)).toBe("Flat for 30 steps");
    expect(sentenceOf(90, fallenLongAgo)).toBe("Falling since step 41: was 0.79, now 0.50");
    expect(sentenceOf(38, recovering)).toMatch(/^Learning: 0\.2\d → 0\.6\d in \d+ steps$/);
    expect(sentenceOf(80, (step) => Math.min(0.6, recovering(step)))).toMatch(
      /^Flat for \d+ steps$/,
    );
  });

  it.each([20, 40, 120])(
    "calls at most 3 of 100 noisy flat runs of %i steps learning or falling, and all others flat",
    (steps) => {
      const sentences = noisySentences(steps, () => 0.5);
      expect(share(sentences, /^(Learning|Falling)/)).toBeLessThanOrEqual(0.03);
      expect(share(sentences, /^Flat for \d+ steps$/)).toBeGreaterThanOrEqual(0.97);
    },
  );

  it("detects rises and falls through noise", () => {
    expect(share(noisySentences(40, rise), /^Learning/)).toBeGreaterThanOrEqual(0.98);
    expect(share(noisySentences(60, collapse), /^Falling/)).toBeGreaterThanOrEqual(0.95);
    expect(share(noisySentences(40, rise), /^Falling/)).toBe(0);
  });

  it("reports that it is too early to tell after few steps, with the group count if known", () => {
    expect(sentenceOf(5, () => 1)).toBe("Too early to tell (5 steps)");
    const known = Array.from({ length: 4 }, (_, step) => ({ step, value: 1, groups: 3 }));
    expect(runSentence({ trend: trendOf(known), heldOut: [] })).toBe(
      "Too early to tell (12 groups)",
    );
    expect(
      share(
        noisySentences(10, () => 0.5),
        /^Too early to tell \(10 steps\)$/,
      ),
    ).toBeGreaterThan(0.95);
  });

  it("counts the steps of a gap, but takes no values from it", () => {
    const withGap: Curve = (step) => (step >= 10 && step < 20 ? Number.NaN : rise(step));
    expect(share(noisySentences(40, withGap), /^Learning: 0.* in [34]\d steps$/)).toBeGreaterThan(
      0.9,
    );
    const level: Curve = (step) => (step % 3 === 0 ? Number.NaN : 0.5);
    expect(share(noisySentences(40, level), /^Flat for 38 steps$/)).toBeGreaterThan(0.95);
    const few: Curve = (step) => (step % 4 === 0 ? 1 : Number.NaN);
    expect(sentenceOf(16, few)).toBe("Too early to tell (4 steps)");
  });

  it("is absent when nothing is known", () => {
    expect(runSentence({ trend: null, heldOut: [] })).toBeNull();
  });
});

describe("the held-out part of the sentence", () => {
  const before = evaluation(0, result({ rewardMean: 0.14, low: 0.08, high: 0.22 }));
  const after = evaluation(40, result({ rewardMean: 0.84, low: 0.78, high: 0.9 }));

  it("compares the newest evaluation with the first, with the newest's confidence interval", () => {
    expect(sentenceOf(40, rise, [before, evaluation(20, result()), after])).toBe(
      "Learning: 0.17 → 0.83 in 40 steps; held-out 0.14 → 0.84 [0.78, 0.90]",
    );
  });

  it("has one value for a single evaluation, also before the first step", () => {
    expect(sentenceOf(4, () => 1, [before])).toBe(
      "Too early to tell (4 steps); held-out 0.14 [0.08, 0.22]",
    );
    expect(runSentence({ trend: null, heldOut: heldOutRewards([before], trainedAt) })).toBe(
      "Held-out 0.14 [0.08, 0.22]",
    );
    expect(
      runSentence({ trend: null, heldOut: heldOutRewards([evaluation(0, result())], trainedAt) }),
    ).toBe("Held-out 0.50");
  });

  it("uses the reward of a supervised run's evaluations", () => {
    const fit = { steps: 40, was: 0.4, now: 0.02, heldOut: 0.01 };
    expect(
      runSentence({ trend: null, heldOut: heldOutRewards([before, after], trainedAt), fit }),
    ).toBe(
      "Loss: 0.400 → 0.0200 in 40 steps, 0.0100 on held-out examples; reward 0.14 → 0.84 [0.78, 0.90]",
    );
  });

  it("has one loss for a single step", () => {
    const fit = { steps: 1, was: 0.4, now: 0.4, heldOut: null };
    expect(runSentence({ trend: null, heldOut: [], fit })).toBe("Loss: 0.400 in 1 step");
  });

  it("uses the training temperature, and names the splits if there are several", () => {
    const greedy = result({ temperature: 0, rewardMean: 0.99 });
    const other = result({ environment: "code", rewardMean: 0.2 });
    const found = heldOutRewards(
      [
        evaluation(0, greedy, result({ rewardMean: 0.1 }), other),
        evaluation(8, greedy, result({ rewardMean: 0.6 }), other),
      ],
      trainedAt,
    );
    expect(found).toMatchObject([
      { name: "math test", was: 0.1, now: 0.6 },
      { name: "code test", was: 0.2, now: 0.2 },
    ]);
    expect(runSentence({ trend: null, heldOut: found })).toBe(
      "Held-out math test 0.10 → 0.60, code test 0.20 → 0.20",
    );
  });

  it("uses the nearest temperature below that of training, or else the lowest", () => {
    const each = [0.5, 1, 2].map((temperature) => result({ temperature, rewardMean: temperature }));
    const at = (temperature: number) => heldOutRewards([evaluation(0, ...each)], () => temperature);
    expect([2, 1.5, 1, 0.7, 0.2].map((temperature) => at(temperature)[0]?.now)).toEqual([
      2, 1, 1, 0.5, 0.5,
    ]);
  });

  it("omits other models, the split that is trained on, and splits that the first evaluation lacks", () => {
    const base = { ...evaluation(0, result()), model: { name: "base", path: null } };
    expect(heldOutRewards([base], trainedAt)).toEqual([]);
    expect(heldOutRewards([evaluation(0, result({ split: "train" }))], trainedAt)).toEqual([]);
    const first = evaluation(0, result({ split: "easy" }));
    expect(heldOutRewards([first, after], trainedAt)).toMatchObject([{ was: null, now: 0.84 }]);
  });
});
