import { describe, expect, it } from "vitest";
import type { Basis, PlayedGroup } from "../../../src/core/estimate/basis.ts";
import { estimateRun } from "../../../src/core/estimate/estimate.ts";
import { trainedSharesOf, UNSEEN } from "../../../src/core/estimate/trainedShare.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { createUniform } from "../../../src/shared/uniform.ts";
import { aPlan } from "./aPlan.ts";

const SIZE = 8;
const LONG = 30;
const SHORT = 10;

/** A group of 8 rollouts; the first `solved` have a reward of 1 and are longer. */
function group(solved: number, size = SIZE): PlayedGroup {
  const isMixed = solved > 0 && solved < size;
  const rollouts = Array.from({ length: size }, (_, i) => ({
    tokens: { ...NO_TOKENS, sampled: i < solved ? LONG : SHORT },
    data: 1,
    isTrained: isMixed,
    reward: i < solved ? 1 : 0,
  }));
  const fraction = isMixed ? 1 : 0;
  return { environment: "a", trainedFraction: fraction, passedFraction: fraction, rollouts };
}

function estimated(groups: readonly PlayedGroup[], rollouts = SIZE, isForwardOnly = false) {
  const unused = { evaluated: [], times: [], serverCheck: NO_TOKENS };
  const basis: Basis = { ...unused, groups, isForwardOnly };
  const environments = [{ name: "a", groups: 1 / rollouts, rollouts }];
  const plan = aPlan({ steps: 1, environments });
  return estimateRun(basis, plan, null).tokens;
}

function trainedShare(groups: readonly PlayedGroup[], rollouts = SIZE): number {
  const ones = groups.map((each) => each.rollouts.map(() => 1));
  const sharesOf = trainedSharesOf(groups, { isLearned: false, trainsOnEqual: false });
  return sharesOf(ones, rollouts, UNSEEN).trained;
}

/** Groups of tasks with the given pass rates, in rotation. */
function played(count: number, rates: readonly number[], size = SIZE): readonly PlayedGroup[] {
  const uniform = createUniform(1);
  return Array.from({ length: count }, (_, task) => {
    const rate = rates[task % rates.length] ?? 0;
    return group(Array.from({ length: size }).filter(() => uniform() < rate).length, size);
  });
}

describe("an estimate from two groups", () => {
  it("treats rollouts and not only groups as mixed or equal", () => {
    const together = trainedShare([group(2), group(0)]);
    const apart = trainedShare([group(1), group(1)]);
    for (const share of [together, apart]) {
      expect(share).toBeGreaterThan(0.3);
      expect(share).toBeLessThan(0.8);
    }
    expect(apart).toBeGreaterThan(together);
    expect(trainedShare([group(4), group(4)])).toBeGreaterThan(0.9);
  });

  it("expects few trained groups if no rewards differed, and allows for more", () => {
    const { trained } = estimated([group(0), group(0)]);
    expect(trained.mean).toBeGreaterThan(0);
    expect(trained.mean).toBeLessThan(0.25);
    expect(trained.high).toBeGreaterThan(trained.mean);
  });

  it("assumes that tasks differ if some are always and some never solved", () => {
    expect(trainedShare([group(8), group(0)])).toBeLessThan(0.6);
    expect(trainedShare(played(40, [1, 0]))).toBeLessThan(0.2);
  });
});

describe("an estimate from many groups", () => {
  const mixed = (rate: number, size: number): number => 1 - rate ** size - (1 - rate) ** size;

  it.each([4, 8, 16])("predicts how many groups of %s rollouts have a signal", (size) => {
    expect(trainedShare(played(400, [0.2]), size)).toBeCloseTo(mixed(0.2, size), 1);
    const rates = Array.from({ length: 100 }, (_, i) => (i + 0.5) / 100);
    // If the pass rate is uniform between 0 and 1, E[p^n] is 1 / (n + 1).
    expect(trainedShare(played(400, rates), size)).toBeCloseTo(1 - 2 / (size + 1), 1);
  });

  it("counts groups with equal rewards if they are trained on, and no failed ones", () => {
    const kept = [group(0), group(8)].map((each) => ({
      ...each,
      trainedFraction: 1,
      passedFraction: 1,
    }));
    expect(trainedShare(kept)).toBeCloseTo(1, 9);
    const failed = [group(4), group(4)].map((each) => ({
      ...each,
      trainedFraction: 0,
      passedFraction: 0,
    }));
    expect(trainedShare(failed)).toBeLessThan(0.1);
  });
});

describe("an estimate from the first weights", () => {
  it("moves a quarter of the way to the rewarded rollouts", () => {
    const { sampled } = estimated([group(2), group(2)], SIZE, true);
    const first = (LONG + 3 * SHORT) / 4;
    expect(sampled.mean).toBeCloseTo(first + (LONG - first) / 4, 9);
    expect(sampled.high).toBeGreaterThan(first + (LONG - first) / 2);
    expect(estimated([group(2), group(2)]).sampled.mean).toBeCloseTo(first, 9);
  });

  it("does not move if rewards are equal", () => {
    expect(estimated([group(0), group(0)], SIZE, true).sampled.mean).toBeCloseTo(SHORT, 9);
  });
});
