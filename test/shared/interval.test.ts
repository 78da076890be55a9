import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meanInterval, pairedInterval, rewardInterval } from "../../src/shared/interval.ts";
import { createUniform } from "../../src/shared/uniform.ts";

const outcomes = (successes: number, count: number) =>
  Array.from({ length: count }, (_, task) => [task < successes ? 1 : 0]);

/** The probability of `successes` in `count` outcomes. */
function binomial(successes: number, count: number, chance: number): number {
  let logarithm = successes * Math.log(chance) + (count - successes) * Math.log(1 - chance);
  for (let i = 1; i <= successes; i += 1) {
    logarithm += Math.log(count - successes + i) - Math.log(i);
  }
  return Math.exp(logarithm);
}

/** Exact coverage of the interval for `count` tasks with one outcome each: how often it contains the success probability. */
function coverage(count: number, chance: number): number {
  let covered = 0;
  for (let successes = 0; successes <= count; successes += 1) {
    const { low, high } = rewardInterval(outcomes(successes, count)) ?? { low: 1, high: 0 };
    if (low <= chance && chance <= high) covered += binomial(successes, count, chance);
  }
  return covered;
}

describe("the interval of a mean reward", () => {
  it("contains the success probability in 92 to 98 of 100 evaluations with one outcome per task", () => {
    const rows = [0.02, 0.05, 0.5, 0.95, 0.98].flatMap((chance) =>
      [16, 64].map((count) => ({ chance, count, covered: coverage(count, chance) })),
    );
    console.log(rows.map((row) => `p ${row.chance} n ${row.count} ${row.covered.toFixed(4)}`));
    for (const { covered } of rows) {
      expect(covered).toBeGreaterThan(0.92);
      expect(covered).toBeLessThan(0.98);
    }
  });

  it("contains it as often if tasks of different difficulty have several rollouts", () => {
    const random = createUniform(7);
    // Tasks always succeed, never succeed, or have their own probability: rollouts of one task are correlated.
    const chanceOf = (mean: number): number => {
      const drawn = random();
      return drawn < 0.4 ? (random() < mean ? 1 : 0) : mean;
    };
    const rows = [0.02, 0.05, 0.5, 0.95].flatMap((mean) =>
      [16, 64].flatMap((tasks) =>
        [2, 8].map((rollouts) => {
          let covered = 0;
          for (let trial = 0; trial < 500; trial += 1) {
            const drawn = Array.from({ length: tasks }, () => {
              const chance = chanceOf(mean);
              return Array.from({ length: rollouts }, () => (random() < chance ? 1 : 0));
            });
            const { low, high } = rewardInterval(drawn) ?? { low: 1, high: 0 };
            if (low <= mean && mean <= high) covered += 1;
          }
          return { mean, tasks, rollouts, covered: covered / 500 };
        }),
      ),
    );
    console.log(
      rows.map((row) => `p ${row.mean} ${row.tasks} × ${row.rollouts} ${row.covered.toFixed(3)}`),
    );
    for (const { covered } of rows) expect(covered).toBeGreaterThan(0.92);
  });

  it("is Wilson's for one outcome per task, whatever the two reward values are", () => {
    // 14 of 16: (0.875 + 0.12004 ± 1.95996 √(0.875 · 0.125 / 16 + 3.84146 / 1024)) / 1.24009.
    const found = rewardInterval(outcomes(14, 16));
    expect(found?.low).toBeCloseTo(0.6398, 4);
    expect(found?.high).toBeCloseTo(0.965, 4);
    const signed = rewardInterval(outcomes(14, 16).map(([value = 0]) => [2 * value - 1]));
    expect(signed?.low).toBeCloseTo(2 * (found?.low ?? 0) - 1, 9);
    expect(rewardInterval(outcomes(16, 16))).toMatchObject({
      low: expect.closeTo(0.8064, 4),
      high: 1,
    });
  });

  it("is Student's t over tasks otherwise, within the reward bounds", () => {
    // Mean 3, sample standard deviation 1.5811, standard error 0.7071, t of four degrees of freedom 2.776.
    expect(meanInterval([[1], [2], [3], [4], [5]])?.high).toBeCloseTo(3 + 2.776 * Math.SQRT1_2, 4);
    expect(rewardInterval([[0.1], [0.9]])).toEqual({ low: 0, high: 1 });
    expect(rewardInterval([[2], [2.5], [9]])).toEqual({ low: 2, high: 9 });
  });

  it("counts rollouts that are copies of each other as one", () => {
    const copies = Array.from({ length: 20 }, (_, task) => Array(8).fill(task % 2));
    const once = rewardInterval(copies.map(([value = 0]) => [value]));
    const found = rewardInterval(copies);
    expect(found?.low).toBeLessThanOrEqual(once?.low ?? 0);
    expect(found?.high).toBeGreaterThanOrEqual(once?.high ?? 1);
  });

  it("does not exist for one task, nor for equal rewards other than success and failure", () => {
    expect(rewardInterval([])).toBeNull();
    expect(rewardInterval([[0, 1, 1], []])).toBeNull();
    expect(rewardInterval([[0.3], [0.3], [0.3]])).toBeNull();
  });

  it("contains the mean, lies between the reward bounds, and does not depend on the order of tasks", () => {
    const reward = fc.double({ min: 0, max: 1, noNaN: true });
    const tasks = fc.array(fc.array(reward, { minLength: 1, maxLength: 4 }), { minLength: 2 });
    fc.assert(
      fc.property(tasks, (given) => {
        const found = rewardInterval(given);
        if (found === null) return;
        const all = given.flat();
        const mean = all.reduce((total, value) => total + value, 0) / all.length;
        expect(found.low).toBeGreaterThanOrEqual(0);
        expect(found.high).toBeLessThanOrEqual(1);
        expect(found.low).toBeLessThanOrEqual(mean + 1e-9);
        expect(found.high).toBeGreaterThanOrEqual(mean - 1e-9);
        expect(rewardInterval(given.toReversed())?.high).toBeCloseTo(found.high, 9);
      }),
    );
  });
});

describe("the interval of a paired difference", () => {
  const pairs = (before: readonly number[], after: readonly number[]) =>
    before.map((value, task) => ({ before: [value], after: [after[task] ?? 0] }));
  const all = (value: number, count = 8) => Array.from({ length: count }, () => value);

  it("does not exist for fewer than 8 shared tasks", () => {
    expect(pairedInterval(pairs(all(0, 7), all(1, 7)))).toBeNull();
    expect(pairedInterval(pairs(all(0), all(1)))).not.toBeNull();
  });

  it("never exceeds the reward bounds", () => {
    const found = pairedInterval(pairs(all(0), [...all(1, 7), 0]));
    expect(found?.low).toBeGreaterThan(0);
    expect(found?.high).toBeLessThanOrEqual(1);
    const wide = pairedInterval(pairs(all(0), [0.5, 0.9, 1, 1, 1, 1, 1, 1]));
    expect(wide?.high).toBeLessThanOrEqual(1);
  });

  it("does not claim certainty that nothing changed if no task did", () => {
    // Two added tasks, one better and one worse: 1.95996 √(2 / 66 / 66).
    const found = pairedInterval(pairs(all(1, 64), all(1, 64)));
    expect(found?.high).toBeCloseTo(0.042, 3);
    expect(found?.low).toBeCloseTo(-0.042, 3);
    expect(pairedInterval(pairs(all(0.25), all(0.5)))).toBeNull();
  });

  it("does not grow with tasks that are hard for both", () => {
    const hard = [0, 0.1, 0.9, 1, 0.5, 0.3, 0.7, 0.2];
    const found = pairedInterval(
      pairs(
        hard,
        hard.map((value, task) => value + task / 100),
      ),
    );
    expect((found?.high ?? 1) - (found?.low ?? 0)).toBeLessThan(0.05);
  });

  it("contains the change in 92 of 100 pairs of evaluations with one outcome per task", () => {
    const random = createUniform(11);
    for (const [count, change] of [
      [16, 0],
      [16, 0.2],
      [64, 0.02],
      [64, 0.2],
    ] as const) {
      let covered = 0;
      for (let trial = 0; trial < 500; trial += 1) {
        const before = Array.from({ length: count }, () => (random() < 0.3 ? 1 : 0));
        const after = before.map((value) => (value === 1 || random() < change / 0.7 ? 1 : 0));
        const { low, high } = pairedInterval(pairs(before, after)) ?? { low: 1, high: 0 };
        if (low <= change && change <= high) covered += 1;
      }
      expect(covered).toBeGreaterThan(460);
    }
  });

  const cases = [
    [0.1, 0.6],
    [0.05, 0.9],
    [0.3, 0.3],
  ].flatMap(([from = 0, to = 0]) =>
    [
      [8, 8],
      [16, 2],
      [16, 4],
      [16, 8],
      [64, 8],
    ].map(([tasks = 0, rollouts = 0]) => ({ from, to, tasks, rollouts })),
  );
  it.each(cases)(
    "contains a change from $from to $to as often in $tasks tasks with $rollouts rollouts",
    ({ from, to, tasks, rollouts }) => {
      const random = createUniform(13);
      // Each task's own chance differs from the mean by up to the distance of the mean from 0 or 1.
      const outcomesAt = (mean: number): number[] => {
        const chance = mean + (2 * random() - 1) * Math.min(mean, 1 - mean);
        return Array.from({ length: rollouts }, () => (random() < chance ? 1 : 0));
      };
      const isCovered = (): boolean => {
        const drawn = Array.from({ length: tasks }, () => ({
          before: outcomesAt(from),
          after: outcomesAt(to),
        }));
        const { low, high } = pairedInterval(drawn) ?? { low: 1, high: 0 };
        return low <= to - from && to - from <= high;
      };
      expect(Array.from({ length: 500 }, isCovered).filter(Boolean).length).toBeGreaterThan(460);
    },
  );
});
