import { describe, expect, it } from "vitest";
import type { Config, EnvironmentConfig } from "../../../../src/core/config/fields/schema.ts";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import { scoreGroups } from "../../../../src/core/training/update/groups.ts";
import { aConfig, aGroup, anEnvironment, aRollout, ENVIRONMENT } from "../builders.ts";

interface Rules extends Partial<Config> {
  readonly environment?: Partial<EnvironmentConfig>;
}

function score(rollouts: readonly FinishedRollout[], { environment, ...changes }: Rules = {}) {
  const environments = { [ENVIRONMENT]: anEnvironment(environment) };
  return scoreGroups(rollouts, aConfig({ environments, ...changes }));
}

/** How the rollouts of a single group with these rewards are used; null is a failed rollout. */
function trainingUses(rewards: readonly (number | null)[], rules: Rules = {}): readonly string[] {
  return score(aGroup(rewards), rules).flatMap(({ rollouts }) =>
    rollouts.map(({ trainingUse }) => trainingUse),
  );
}

function repeated(trainingUse: string, count: number): readonly string[] {
  return Array.from({ length: count }, () => trainingUse);
}

describe("a group", () => {
  it("is trained with the advantages of its rewards", () => {
    const [group] = score(aGroup([1, 0, 0, 1]), { advantage_calculation: "centered" });
    expect(group?.facts).toEqual({ group: 0, excluded: null, isPartial: false });
    expect(group?.rollouts.map(({ advantage }) => advantage)).toEqual([0.5, -0.5, -0.5, 0.5]);
    expect(group?.rollouts.every(({ trainingUse }) => trainingUse === "trained")).toBe(true);
  });

  it("is left out when it has a failed rollout", () => {
    expect(trainingUses([1, 0, null, 0])).toEqual(repeated("excluded:failures", 4));
  });

  it("with at most max_failing_rollouts failed rollouts is trained without them", () => {
    const rules: Rules = {
      environment: { max_failing_rollouts: 1 },
      advantage_calculation: "centered",
    };
    const [group] = score(aGroup([1, null, 0, 0.5]), rules);
    expect(group?.facts).toEqual({ group: 0, excluded: null, isPartial: true });
    expect(group?.rollouts.map(({ advantage }) => advantage)).toEqual([0.5, null, -0.5, 0]);
    expect(group?.rollouts[1]?.trainingUse).toBe("excluded:failed");
    expect(trainingUses([1, null, null, 0], rules)).toEqual(repeated("excluded:failures", 4));
  });

  it.each(["strict", "fail_fast"] as const)(
    "with a failed rollout is always left out with group_failures: %s",
    (group_failures) => {
      const environment = { max_failing_rollouts: 1 };
      expect(trainingUses([1, 0, null, 0], { environment, group_failures })).toEqual(
        repeated("excluded:failures", 4),
      );
    },
  );

  it("whose rollouts all failed is always left out", () => {
    const rules = { environment: { max_failing_rollouts: 9 } };
    expect(trainingUses([null, null], rules)).toEqual(repeated("excluded:failures", 2));
  });

  it("with one remaining reward is left out, except with direct advantages", () => {
    const environment = { max_failing_rollouts: 1 };
    expect(trainingUses([1, null], { environment })).toEqual(repeated("excluded:too_few", 2));
    const direct = { environment, advantage_calculation: "direct" } as const;
    expect(trainingUses([1, null], direct)).toEqual(["trained", "excluded:failed"]);
  });

  it.each<[string, Rules, string]>([
    ["is left out", {}, "excluded:zero_variance"],
    ["is trained with direct advantages", { advantage_calculation: "direct" }, "trained"],
    ["is trained when configured", { zero_variance: "keep" }, "trained"],
    [
      "is left out with direct advantages when configured",
      { zero_variance: "drop", advantage_calculation: "direct" },
      "excluded:zero_variance",
    ],
  ])("with equal rewards %s", (_name, rules, trainingUse) => {
    expect(trainingUses([0.5, 0.5, 0.5], rules)).toEqual(repeated(trainingUse, 3));
  });

  it("with equal rewards and a failure is left out because of the failure", () => {
    expect(trainingUses([1, 1, null])).toEqual(repeated("excluded:failures", 3));
  });
});

describe("the groups of a step", () => {
  it("keep their order, whatever order the rollouts end in", () => {
    const rollouts = [...aGroup([1, 0], { group: 1 }), ...aGroup([0, 1], { group: 0 })];
    const scored = score(rollouts.toReversed());
    expect(scored.map(({ facts }) => facts.group)).toEqual([0, 1]);
    const order = scored.flatMap((group) => group.rollouts.map(({ rollout }) => rollout.record));
    expect(order.map((task) => [task.group, task.rollout])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
  });

  it("do not count in the standard deviation of the batch when left out", () => {
    const rollouts = [...aGroup([1, 0], { group: 0 }), ...aGroup([1, 1], { group: 1 })];
    const scored = score(rollouts, { advantage_calculation: "batch_normalized" });
    expect(scored.map(({ facts }) => facts.excluded)).toEqual([null, "zero_variance"]);
    // 0.5 over the standard deviation of 0.5 and -0.5.
    expect(scored[0]?.rollouts[0]?.advantage).toBeCloseTo(0.5 / Math.sqrt(0.5), 6);
    const kept = score(rollouts, {
      advantage_calculation: "batch_normalized",
      zero_variance: "keep",
    });
    // With the two zeros of the other group.
    expect(kept[0]?.rollouts[0]?.advantage).toBeCloseTo(0.5 / Math.sqrt(0.5 / 3), 6);
  });

  it.each(["rloo", "batch_normalized"] as const)(
    "need two different rewards with %s",
    (advantage_calculation) => {
      const environment = { max_failing_rollouts: 1 };
      const rules = { environment, advantage_calculation };
      expect(trainingUses([1, null], rules)).toEqual(repeated("excluded:too_few", 2));
      expect(trainingUses([1, 1], rules)).toEqual(repeated("excluded:zero_variance", 2));
    },
  );

  it("leaves out data with an advantage of zero, which would have no effect", () => {
    const [group] = score(aGroup([0, 0]), { advantage_calculation: "direct" });
    expect(group?.rollouts.map(({ trainingUse, data }) => [trainingUse, data])).toEqual(
      Array.from({ length: 2 }, () => ["trained", []]),
    );
  });
});

describe("credit by turn", () => {
  /** A rollout with these rewards and one token per turn, where the first token has id 0. */
  function ofTurns(rollout: number, rewards: readonly number[]): FinishedRollout {
    const ledger = new Ledger([1, 2, 3]);
    for (const turn of rewards.keys()) {
      ledger.addTurn([turn], [-0.5]);
      ledger.addContext([], [9]);
    }
    const reward = rewards.reduce((sum, own) => sum + own, 0);
    const given = aRollout({ rollout, reward, facts: { turnRewards: rewards } });
    return { ...given, streams: [ledger] };
  }

  const byTurn = { credit: "reward_to_go", advantage_calculation: "centered" } as const;

  it("trains each turn with the reward from there on", () => {
    const [group] = score([ofTurns(0, [1, 0]), ofTurns(1, [0, 0.5])], byTurn);
    const [first, second] = group?.rollouts ?? [];
    expect(first).toMatchObject({ turnAdvantages: [0.25, -0.25], advantage: 0 });
    expect(second).toMatchObject({ turnAdvantages: [-0.25, 0.25], advantage: 0 });
    // Prompt, turn, delta, turn: the targets of the two turns have their advantages.
    const [datum] = first?.data ?? [];
    expect([...(datum?.targets ?? [])]).toEqual([2, 3, 0, 9, 1]);
    expect([...(datum?.advantages ?? [])]).toEqual([0, 0, 0.25, 0, -0.25]);
  });

  it("finds a signal in rewards with equal totals but different timing", () => {
    const rollouts = [ofTurns(0, [1, 0]), ofTurns(1, [0, 1])];
    expect(score(rollouts, byTurn)[0]?.facts.excluded).toBeNull();
    const whole = { advantage_calculation: "centered" } as const;
    expect(score(rollouts, whole)[0]?.facts.excluded).toBe("zero_variance");
    const same = [ofTurns(0, [0, 1]), ofTurns(1, [0, 1])];
    expect(score(same, byTurn)[0]?.facts.excluded).toBe("zero_variance");
  });
});
