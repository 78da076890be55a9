import { describe, expect, it } from "vitest";
import { alarmNotice } from "../../../src/core/alarms/evaluateAlarms.ts";
import { rewardFall } from "../../../src/core/alarms/rewardFall.ts";
import type { TrendPoint } from "../../../src/shared/trendPoint.ts";
import { createUniform } from "../../../src/shared/uniform.ts";
import { aConfig } from "../training/builders.ts";
import { type Numbers, times, watched } from "./aRow.ts";

const BETTER: Numbers = { "rollout/reward/mean": 0.8 };

function begins(steps: readonly Numbers[]): readonly string[] {
  return watched(steps).changes.filter((change) => change.endsWith("begins"));
}

describe("a rising KL divergence", () => {
  const far: Numbers = { "optim/kl_sample_train_v2": 0.03 };

  it("triggers an alarm when the reward stays the same", () => {
    expect(begins([...times(10), ...times(3, far)])).toEqual(["12 kl_flat_reward begins"]);
  });

  it("triggers none if the reward rises too, if it stays small, or if it was high from the start", () => {
    expect(begins([...times(10), ...times(3, { ...far, ...BETTER })])).toEqual([]);
    expect(begins([...times(10), ...times(3, { "optim/kl_sample_train_v2": 0.008 })])).toEqual([]);
    expect(begins(times(20, far))).toEqual([]);
  });

  it("triggers none if steps of one group rise by no more than neighboring steps differ", () => {
    const alone: Numbers = { "rollout/reward/groups": 1, "rollout/reward/group_std": null };
    const steps = [...times(10), ...times(3, { ...far, ...BETTER })];
    expect(begins(steps.map((own) => ({ ...own, ...alone })))).toEqual([]);
    const flat = [...times(10), ...times(3, far)];
    expect(begins(flat.map((own) => ({ ...own, ...alone })))).toEqual(["12 kl_flat_reward begins"]);
  });

  it("is compared only between samplers of the same age, since it is 0 for a new one", () => {
    const ahead = (lag: number, kl: number): Numbers => ({
      "async/staleness/max": lag,
      "async/staleness/beyond_allowed": 0,
      "optim/kl_sample_train_v2": kl,
    });
    const filling = [ahead(0, 0), ahead(1, 0.01), ahead(2, 0.02), ahead(3, 0.03)];
    expect(begins([...filling, ...times(20, ahead(4, 0.04))])).toEqual([]);
    expect(
      begins([...filling, ...times(10, ahead(4, 0.005)), ...times(3, ahead(4, 0.04))]),
    ).toEqual(["16 kl_flat_reward begins"]);
  });

  it("from the base model counts by its size, because it is 0 when training begins", () => {
    const measured = (kl: number): Numbers => ({ "optim/kl_policy_base": kl });
    const ordinary = [0, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05];
    expect(begins([...ordinary, 0.06, 0.07, 0.08].map(measured))).toEqual([]);
    expect(begins([...times(10, measured(0.02)), ...times(3, measured(0.3))])).toEqual([
      "12 kl_base_flat_reward begins",
    ]);
    const better = { ...measured(0.3), ...BETTER };
    expect(begins([...times(10, measured(0.02)), ...times(3, better)])).toEqual([]);
    expect(begins(times(20, measured(0.3)))).toEqual([]);
  });
});

describe("a falling entropy", () => {
  it("triggers an alarm when the reward stays the same, which ends when variety returns", () => {
    const steps = [...times(10), ...times(4, { "rollout/entropy": 0.2 }), ...times(6)];
    expect(watched(steps).changes).toEqual([
      "12 entropy_collapse begins",
      "16 entropy_collapse ends",
    ]);
  });

  it("is measured over all rollouts, because collapsed groups are not trained on", () => {
    const trained = times(13, { "optim/entropy": 1 });
    const steps = trained.map((own, step) => ({ ...own, "rollout/entropy": step < 10 ? 1 : 0.2 }));
    expect(begins(steps)).toEqual(["12 entropy_collapse begins"]);
  });

  it("triggers none if the reward rises, if nearly all succeed, or if there was no reward to lose", () => {
    const low = { "rollout/entropy": 0.2 };
    const learned = { ...low, "rollout/success_frac": 0.97, "group/frac_mixed": 0.2 };
    expect(begins([...times(10), ...times(3, { ...low, ...BETTER })])).toEqual([]);
    expect(begins([...times(10), ...times(3, learned)])).toEqual([]);
    const small = times(10, { "rollout/entropy": 0.08 });
    expect(begins([...small, ...times(3, { "rollout/entropy": 0.001 })])).toEqual([]);
  });
});

describe("a reward that falls from its best", () => {
  const low: Numbers = { "rollout/reward/mean": 0.2 };
  const mid: Numbers = { "rollout/reward/mean": 0.4 };

  it("triggers an alarm once more than half of the rise is lost, however long ago the peak was", () => {
    const steps = [
      ...times(3, low),
      ...times(4, BETTER),
      ...times(20, { "rollout/reward/mean": 0.7 }),
    ];
    expect(begins(steps)).toEqual([]);
    expect(begins([...steps, ...times(3, mid)])).toEqual(["28 reward_decline begins"]);
  });

  it("triggers none if chance explains it: rollouts of one task are one observation", () => {
    const steps = [...times(3, low), ...times(6, BETTER), ...times(10, low)];
    const begun = (groupStd: number): readonly string[] =>
      begins(steps.map((own) => ({ ...own, "rollout/reward/group_std": groupStd })));
    expect(begun(0.1)).toEqual(["10 reward_decline begins"]);
    expect(begun(0.9)).toEqual([]);
  });

  it("is compared over groups with a reward, without failed ones", () => {
    const steps = [...times(3, low), ...times(6, BETTER), ...times(10, low)];
    const begun = (groups: number): readonly string[] =>
      begins(
        steps.map((own) => ({
          ...own,
          "rollout/reward/group_std": 0.3,
          "rollout/reward/groups": groups,
        })),
      );
    expect(begun(8)).toEqual(["10 reward_decline begins"]);
    expect(begun(2)).toEqual([]);
  });

  it("triggers none if the hard tasks failed in the best steps", () => {
    const failed = (share: number): Numbers => ({ ...BETTER, "rollout/scored_frac": share });
    const steps = (share: number) => [...times(6), ...times(6, failed(share)), ...times(10)];
    expect(begins(steps(0.9))).toEqual(["13 reward_decline begins"]);
    expect(begins(steps(0.5))).toEqual([]);
  });

  it.each([1, -1, 0.1, 0.3, 1e4])(
    "triggers none if every reward is %d, however its sums are rounded",
    (reward) => {
      const equal = { "rollout/reward/mean": reward, "rollout/reward/group_std": 0 };
      expect(begins(times(40, equal))).toEqual([]);
    },
  );

  it("triggers an alarm even if the reward was best at the start, without a rise to compare with", () => {
    expect(begins([...times(5), ...times(10, low)])).toEqual(["6 reward_decline begins"]);
    const little: Numbers = { "rollout/reward/mean": 0.45 };
    expect(begins([...times(5), ...times(10, little)])).toEqual([]);
  });

  it("triggers an alarm within 4 steps of a complete collapse, but not at its first bad step", () => {
    const measured: readonly (readonly [reward: number, groupStd: number])[] = [
      ...([
        [0.19, 0.14],
        [0.39, 0.17],
        [0.67, 0.25],
        [0.38, 0.37],
        [0.22, 0.25],
      ] as const),
      ...([
        [0.19, 0.31],
        [0.2, 0.28],
        [0.02, 0.06],
        [0, 0],
        [0.02, 0.06],
      ] as const),
    ];
    const steps = measured.map(([reward, groupStd]) => ({
      "rollout/reward/mean": reward,
      "rollout/reward/group_std": groupStd,
    }));
    expect(begins(steps)).toEqual(["7 reward_decline begins"]);
    expect(begins([...times(20), ...times(1, low), ...times(20)])).toEqual([]);
  });

  it("also triggers one when each step has one group, with the error estimated from neighboring steps", () => {
    const alone = (reward: number, step: number): Numbers => ({
      "rollout/reward/mean": reward + (step % 2 === 0 ? 0.1 : -0.1),
      "rollout/reward/groups": 1,
      "rollout/reward/group_std": null,
    });
    const steps = (after: number) =>
      Array.from({ length: 60 }, (_, step) => alone(step < 30 ? 0.75 : after, step));
    expect(begins(steps(0.2))).toEqual(["33 reward_decline begins"]);
    expect(begins(steps(0.7))).toEqual([]);
  });

  it.each([
    [1, "tasks of all difficulties"],
    [4, "tasks of all difficulties"],
    [2, "tasks that succeed or fail as a whole"],
  ] as const)(
    "rarely triggers an alarm in a run with a constant reward and steps with %d groups of %s",
    (groups, tasks) => {
      const uniform = createUniform(3);
      const groupMean = (): number => {
        if (tasks === "tasks that succeed or fail as a whole") return Number(uniform() < 0.1);
        const share = 0.2 + 0.6 * uniform();
        return Array.from({ length: 8 }, uniform).filter((one) => one < share).length / 8;
      };
      const isFalse = (): boolean => {
        const rewards: TrendPoint[] = [];
        for (let step = 0; step < 40; step += 1) {
          const means = Array.from({ length: groups }, groupMean);
          const value = means.reduce((sum, own) => sum + own) / groups;
          const squares = means.reduce((sum, own) => sum + (own - value) ** 2, 0);
          const error = Math.sqrt(squares / (groups - 1) / groups);
          rewards.push({ step, value, groups, ...(groups > 1 && { error }) });
          if (rewardFall(rewards) !== null) return true;
        }
        return false;
      };
      expect(Array.from({ length: 100 }, isFalse).filter(Boolean).length).toBeLessThanOrEqual(2);
    },
  );

  it("is reported with its start, and the reward then and now", () => {
    const { last, past } = watched([...times(3, low), ...times(10, BETTER), ...times(5, low)]);
    const state = last.find(({ id }) => id === "reward_decline");
    if (state === undefined) throw new Error("no state");
    expect(alarmNotice(state, past, aConfig())?.seen).toMatch(
      /^Falling since step \d+: was 0\.\d\d, now 0\.\d\d\. That is \d+% of its range \(alarm above 50%\)\.$/,
    );
  });
});

describe("collapsed advantages", () => {
  const small: Numbers = { "advantage/abs_mean": 0.05 };
  const none: Numbers = {
    "advantage/count": 0,
    "advantage/abs_mean": null,
    "group/excluded/zero_variance": 8,
  };

  it("trigger an alarm even if most groups are skipped because their rewards are equal", () => {
    const equal: Numbers = { "group/compared": 40, "group/excluded/zero_variance": 39 };
    expect(begins([...times(5), ...times(3, small)])).toEqual(["7 advantage_collapse begins"]);
    expect(begins([...times(5), ...times(3, equal)])).toEqual(["7 advantage_collapse begins"]);
  });

  it("trigger none if rollouts are skipped for another reason: masked, overlong, or failed", () => {
    expect(begins([...times(5), ...times(3, { "advantage/count": 2 })])).toEqual([]);
    const all: Numbers = { "advantage/count": 0, "advantage/abs_mean": null };
    expect(begins([...times(5), ...times(3, all)])).toEqual([]);
  });

  it("are compared with the first steps that had any", () => {
    const steps = [...times(5, none), ...times(5), ...times(3, small)];
    expect(begins(steps)).toEqual(["12 advantage_collapse begins"]);
  });

  it("trigger none if most of these first steps had no advantages either", () => {
    expect(begins([...times(1), ...times(12, none)])).toEqual([]);
  });

  it("trigger none once nearly all rollouts succeed", () => {
    expect(
      begins([
        ...times(5),
        ...times(3, { ...small, "rollout/success_frac": 0.97, "group/frac_mixed": 0.2 }),
      ]),
    ).toEqual([]);
  });
});

describe("success at a low reward", () => {
  const easy: Numbers = { "rollout/success_frac": 0.98, "group/frac_mixed": 0.9 };

  it("is noted when rewards still differ, without silencing other alarms", () => {
    expect(begins(times(4, easy))).toEqual(["2 low_success_reward begins"]);
    const low = { ...easy, "rollout/entropy": 0.2 };
    expect(begins([...times(10, easy), ...times(3, low)])).toContain("12 entropy_collapse begins");
  });

  it("triggers none if nearly all groups are solved", () => {
    const learned = { "rollout/success_frac": 0.98, "group/frac_mixed": 0.1 };
    expect(begins(times(4, learned))).not.toContain("2 low_success_reward begins");
  });
});

/** Mean rewards of an observed run on the embedded engine, with 64 rollouts per step. */
const REWARDS = [0.188, 0.391, 0.672, 0.375, 0.219, 0.188, 0.203, 0.016, 0, 0.016, 0, 0];

it("a decline is reported even if the peak was within the initial level", () => {
  const steps = REWARDS.map((reward): Numbers => {
    const deviation = Math.sqrt(reward * (1 - reward));
    return {
      "rollout/reward/mean": reward,
      "rollout/reward/std": deviation,
      // The groups have 8 rollouts each.
      "rollout/reward/group_std": deviation / Math.sqrt(8),
    };
  });
  const { changes } = watched(steps);
  expect(changes).toEqual(["5 reward_decline begins"]);
});
