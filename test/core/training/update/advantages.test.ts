import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AdvantageRules,
  computeAdvantages,
  turnAdvantages,
} from "../../../../src/core/training/update/advantages.ts";

function advantages(
  rewards: readonly number[],
  method: AdvantageRules["advantage_calculation"],
  changes: Partial<AdvantageRules> = {},
): readonly number[] {
  const rules = { advantage_eps: 0, advantage_clip: null, ...changes };
  const [group = []] = computeAdvantages([rewards], { advantage_calculation: method, ...rules });
  return group;
}

const rewardLists = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), {
  minLength: 2,
  maxLength: 16,
});

describe("advantages", () => {
  it.each<[AdvantageRules["advantage_calculation"], readonly number[], readonly number[]]>([
    ["direct", [1, 0, 0, 1], [1, 0, 0, 1]],
    ["centered", [1, 0, 0, 1], [0.5, -0.5, -0.5, 0.5]],
    ["centered_normalized", [1, 0, 0, 1], [0.8660254, -0.8660254, -0.8660254, 0.8660254]],
    // 1 - (0 + 0 + 1) / 3 and 0 - (1 + 0 + 1) / 3.
    ["rloo", [1, 0, 0, 1], [0.6666667, -0.6666667, -0.6666667, 0.6666667]],
    // 0.2 - (0.5 + 0.9) / 2, 0.5 - (0.2 + 0.9) / 2, 0.9 - (0.2 + 0.5) / 2.
    ["rloo", [0.2, 0.5, 0.9], [-0.5, -0.05, 0.55]],
    ["centered", [0.2, 0.5, 0.9], [-0.3333333, -0.0333333, 0.3666667]],
    ["centered_normalized", [0.2, 0.5, 0.9], [-0.949158, -0.0949158, 1.0440738]],
  ])("%s of %j are %j", (method, rewards, expected) => {
    const computed = advantages(rewards, method);
    expect(computed).toHaveLength(expected.length);
    for (const [i, value] of expected.entries()) expect(computed[i]).toBeCloseTo(value, 6);
  });

  it("of batch_normalized share the standard deviation of all groups, but each group has its own mean", () => {
    // Centered: 0.5, -0.5 and 2, -1, -1; their squares sum to 6.5, over 5 - 1 values: std = sqrt(1.625) = 1.2747549.
    const rules = { advantage_calculation: "batch_normalized", advantage_clip: null } as const;
    const groups = [
      [1, 0],
      [3, 0, 0],
    ];
    const computed = computeAdvantages(groups, { ...rules, advantage_eps: 0 }).flat();
    for (const [i, value] of [0.3922323, -0.3922323, 1.5689291, -0.7844645, -0.7844645].entries()) {
      expect(computed[i]).toBeCloseTo(value, 6);
    }
    const [[first] = []] = computeAdvantages(groups, { ...rules, advantage_eps: 0.5 });
    expect(first).toBeCloseTo(0.5 / 1.7747549, 6);
    expect(
      computeAdvantages(
        [
          [0.3, 0.3],
          [1, 1],
        ],
        { ...rules, advantage_eps: 0 },
      ),
    ).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it("are zero, not infinite, when all rewards are equal", () => {
    expect(advantages([0.3, 0.3, 0.3], "centered_normalized")).toEqual([0, 0, 0]);
    expect(advantages([0.7], "centered_normalized")).toEqual([0]);
  });

  it("add advantage_eps to the standard deviation", () => {
    const [first] = advantages([1, 0, 0, 1], "centered_normalized", { advantage_eps: 0.5 });
    expect(first).toBeCloseTo(0.5 / (0.5773503 + 0.5), 6);
  });

  it("stay within advantage_clip", () => {
    expect(advantages([10, 0, -3], "direct", { advantage_clip: 2 })).toEqual([2, 0, -2]);
  });

  it("of the centered methods sum to zero, and normalized ones have a standard deviation of 1", () => {
    fc.assert(
      fc.property(rewardLists, (rewards) => {
        const centered = advantages(rewards, "centered");
        expect(centered.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6);
        const others = advantages(rewards, "rloo");
        expect(others.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6);
        const squares = advantages(rewards, "centered_normalized").map((value) => value ** 2);
        const total = squares.reduce((sum, value) => sum + value, 0);
        if (total > 0) expect(total / (rewards.length - 1)).toBeCloseTo(1, 6);
      }),
    );
  });
});

describe("rewards that differ by rounding", () => {
  it.each(["centered_normalized", "batch_normalized"] as const)(
    "do not count as different for %s",
    (method) => {
      expect(advantages([0, 0, 0, 1e-7], method)).toEqual([0, 0, 0, 0]);
      expect(advantages([0.1 + 0.2, 0.3], method)).toEqual([0, 0]);
      expect(advantages([0, 0, 0, 2e-6], method).at(-1)).toBeCloseTo(1.5, 9);
    },
  );
});

describe("advantages of turns", () => {
  const rules = {
    advantage_calculation: "centered",
    advantage_eps: 0,
    advantage_clip: null,
  } as const;

  it("compare a turn with the same turn of the other rollouts that have it", () => {
    // Means: 1.5 of the first turns, 1 of the second ones; the third turn of one rollout has nothing to compare with.
    const group = [[2, 1.5, 0.5], [2, 0.5], [0.5]];
    expect(turnAdvantages([group], rules)).toEqual([[[0.5, 0.5, 0.5], [0.5, -0.5], [-1]]]);
  });

  it("are the returns themselves without a baseline", () => {
    const group = [[2, 1.5, 0.5], [1]];
    expect(turnAdvantages([group], { ...rules, advantage_calculation: "direct" })).toEqual([group]);
  });

  it.each(["direct", "centered", "centered_normalized", "rloo", "batch_normalized"] as const)(
    "of rollouts with one return each equal those of their rewards, with %s",
    (advantage_calculation) => {
      const own = { ...rules, advantage_calculation };
      fc.assert(
        fc.property(fc.array(rewardLists, { maxLength: 4 }), (groups) => {
          const returns = groups.map((group) => group.map((reward) => [reward]));
          expect(turnAdvantages(returns, own).map((group) => group.flat())).toEqual(
            computeAdvantages(groups, own),
          );
        }),
      );
    },
  );
});
