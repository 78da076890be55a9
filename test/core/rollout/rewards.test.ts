import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type RewardRules,
  returnsByTurn,
  rewardFault,
  scoreRewards,
} from "../../../src/core/rollout/rewards.ts";

function rules(changes: Partial<RewardRules> = {}): RewardRules {
  return {
    reward_reduction: "sum",
    nonterminal_reward: null,
    nonterminal_mode: "append",
    min_reward: null,
    max_reward: null,
    ...changes,
  };
}

const finished = true;
const unfinished = false;

describe("the reward of a rollout", () => {
  it.each<[RewardRules["reward_reduction"], number]>([
    ["sum", 1.75],
    ["mean", 0.4375],
    ["max", 1],
    ["min", -0.25],
    ["last", 0.5],
  ])("is the %s of its rewards", (reward_reduction, expected) => {
    const { clamped, sum } = scoreRewards(
      [0.5, 1, -0.25, 0.5],
      finished,
      rules({ reward_reduction }),
    );
    expect(clamped).toBe(expected);
    expect(sum).toBe(1.75);
  });

  it.each<[string, boolean, Partial<RewardRules>, number | null]>([
    ["joins the others", unfinished, { nonterminal_reward: 0 }, 0.5],
    ["replaces them", unfinished, { nonterminal_reward: 0, nonterminal_mode: "replace" }, 0],
    ["is not given to a finished rollout", finished, { nonterminal_reward: 0 }, 0.75],
    ["is not given where there is none", unfinished, {}, 0.75],
  ])("nonterminal_reward %s", (_name, reachedTerminalState, changes, expected) => {
    const given = rules({ reward_reduction: "mean", ...changes });
    expect(scoreRewards([0.5, 1], reachedTerminalState, given).clamped).toBe(expected);
  });

  it("is nonterminal_reward if the environment gave none", () => {
    const parts = scoreRewards([], unfinished, rules({ nonterminal_reward: -0.5 }));
    expect(parts).toMatchObject({ nonterminal: -0.5, sum: -0.5, reduced: -0.5, clamped: -0.5 });
  });

  it("is raised to min_reward, then lowered to max_reward", () => {
    const scored = (reward: number, changes: Partial<RewardRules>) =>
      scoreRewards([reward], finished, rules(changes)).clamped;
    expect(scored(-3, { min_reward: -1 })).toBe(-1);
    expect(scored(3, { max_reward: 2 })).toBe(2);
    expect(scored(0, { min_reward: 5, max_reward: 2 })).toBe(2);
  });

  it("is clamped after the reduction, and both values are kept", () => {
    const parts = scoreRewards([1, 1, 1], finished, rules({ max_reward: 2 }));
    expect(parts).toMatchObject({ reduction: "sum", reduced: 3, clamped: 2 });
  });

  it("is null without any reward, even with a lower bound", () => {
    expect(scoreRewards([], finished, rules({ nonterminal_reward: 1 })).clamped).toBeNull();
    expect(scoreRewards([], unfinished, rules({ min_reward: 0 })).clamped).toBeNull();
  });

  it.each<[RewardRules["reward_reduction"], readonly number[]]>([
    ["sum", [1e308, 1e308]],
    ["mean", [1e308, 1e308]],
    ["last", [0, 1e39]],
    ["max", [Number.NaN]],
  ])(
    "%s of %j does not exist, because nothing can be trained with it",
    (reward_reduction, rewards) => {
      const stages = scoreRewards(rewards, finished, rules({ reward_reduction }));
      expect(stages.clamped).toBeNull();
      expect(rewardFault(stages, "a/b")?.code).toBe("environment-reward-invalid");
    },
  );

  it("may come from any large number if bounds limit it", () => {
    const stages = scoreRewards([1e39], finished, rules({ max_reward: 10 }));
    expect(stages.clamped).toBe(10);
    expect(rewardFault(stages, "a/b")).toBeNull();
    expect(rewardFault(scoreRewards([], finished, rules()), "a/b")).toBeNull();
  });

  it("includes the group score last, even with nonterminal_reward", () => {
    const last = rules({ reward_reduction: "last", nonterminal_reward: -1 });
    expect(scoreRewards([0.5], unfinished, last, 0.75).clamped).toBe(0.75);
    expect(scoreRewards([0.5], finished, last, 0.75).clamped).toBe(0.75);
    const sum = rules({ nonterminal_reward: -1 });
    expect(scoreRewards([0.5], unfinished, sum, 0.75).clamped).toBe(0.25);
    const replaced = rules({ nonterminal_reward: -1, nonterminal_mode: "replace" });
    expect(scoreRewards([0.5], unfinished, replaced, 0.75).clamped).toBe(-1);
  });

  it("is null if one of the rewards is not finite", () => {
    for (const reward of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const given = rules({ reward_reduction: "last", max_reward: 1 });
      expect(scoreRewards([reward, 0.5], finished, given).clamped).toBeNull();
    }
  });
});

describe("the returns of a rollout's turns", () => {
  const atEnd = { group: null, nonterminal: null };

  it("are the sums of rewards from each turn on", () => {
    const rewards = [0.25, 0, 0.5, 1];
    expect(returnsByTurn(rewards, atEnd, rules(), 1)).toEqual([1.75, 1.5, 1.5, 1]);
    expect(returnsByTurn(rewards, atEnd, rules(), 0.5)).toEqual([0.5, 0.5, 1, 1]);
  });

  it("include rewards at the end in the last turn", () => {
    const end = { group: 0.5, nonterminal: -1 };
    expect(returnsByTurn([1, 0], end, rules(), 1)).toEqual([0.5, -0.5]);
    const replaced = rules({ nonterminal_mode: "replace" });
    expect(returnsByTurn([1, 0], end, replaced, 0.5)).toEqual([-0.5, -1]);
  });

  it("have the same bounds as the reward", () => {
    const bounded = rules({ min_reward: 0, max_reward: 1 });
    expect(returnsByTurn([3, -2, 0.5], atEnd, bounded, 1)).toEqual([1, 0, 0.5]);
  });

  it("start with the reward of the rollout", () => {
    const reward = fc.double({ min: -100, max: 100, noNaN: true });
    const turns = fc.array(reward, { minLength: 1 });
    fc.assert(
      fc.property(turns, fc.option(reward), fc.boolean(), (given, nonterminal, isReplaced) => {
        const own = rules({
          nonterminal_reward: nonterminal,
          nonterminal_mode: isReplaced ? "replace" : "append",
          max_reward: 50,
        });
        const stages = scoreRewards(given, unfinished, own);
        expect(returnsByTurn(given, stages, own, 1)[0]).toBeCloseTo(
          stages.clamped ?? Number.NaN,
          6,
        );
      }),
    );
  });
});
