import { describe, expect, it } from "vitest";
import type { TreeFilter } from "../../../src/api/trajectories.ts";
import { inOrder, isShown } from "../../../src/server/trajectories/rolloutFilter.ts";
import {
  groupRow,
  rolloutItemRow,
  trainingUseText,
} from "../../../src/server/trajectories/trajectoryRows.ts";
import { aRolloutSummary } from "../../core/runFolder/builders.ts";

const failed = aRolloutSummary(2, { reward: null, stop: "error", error: "boom", score: null });
const excluded = aRolloutSummary(3, {
  reward: 0,
  score: { advantage: null, trainingUse: "excluded:uniform_rewards" },
});

describe("a filter", () => {
  it.each([
    [{ kind: "reward", from: 0.5, to: 1 }, [1]],
    [{ kind: "failed" }, [2]],
    [{ kind: "excluded" }, [3]],
    [{ kind: "stop", stop: "error" }, [2]],
    [null, [1, 2, 3]],
  ] as const)("%j shows the rollouts %j", (filter, numbers) => {
    const shown = [aRolloutSummary(1), failed, excluded].filter((each) =>
      isShown(each, filter as TreeFilter | null),
    );
    expect(shown.map(({ rollout }) => rollout)).toEqual(numbers);
  });
});

it("rollouts are sorted by the chosen field, those without a value last", () => {
  const rollouts = [
    aRolloutSummary(1, { reward: 0.2 }),
    failed,
    aRolloutSummary(4, { reward: 0.9 }),
  ];
  expect(inOrder(rollouts, "reward").map(({ rollout }) => rollout)).toEqual([4, 1, 2]);
  expect(inOrder(rollouts, "number")).toBe(rollouts);
});

describe("rows", () => {
  it("of rollouts show reward, advantage, length and end, counted from 1", () => {
    expect(rolloutItemRow(aRolloutSummary(2), 1)).toMatchObject({
      label: "#3",
      description: "1.00 · +1.12 · 2 turns · 812 tok · finished",
      spoken: "rollout 3, reward 1.00, adv +1.12, 2 turns, 812 tok, finished",
    });
  });

  it("of groups show the spread of their rewards", () => {
    const mixed = [aRolloutSummary(0), aRolloutSummary(1, { reward: 0 })];
    expect(groupRow(0, mixed, 1)).toMatchObject({
      label: "calculator 7",
      description: "0.50 · 0.00 … 1.00 · train · 2 rollouts",
      spoken: "calculator train 7, mean 0.50, 0.00 … 1.00, 2 rollouts",
    });
    expect(groupRow(0, [aRolloutSummary(0), aRolloutSummary(1)], 1).description).toBe(
      "all 1.00 · train · 2 rollouts",
    );
    expect(
      groupRow(0, [aRolloutSummary(0, { model: "step 8", temperature: 0 })], 1).description,
    ).toBe("1.00 · train · greedy · step 8 · 1 rollout");
    expect(groupRow(0, [failed], 1).description).toBe("no reward · train · 1 rollout");
    expect(groupRow(0, [excluded], 1).context).toBe("group+excluded");
  });

  it("have a success icon from the environment's success reward on", () => {
    const iconOf = (reward: number, success: number) =>
      rolloutItemRow(aRolloutSummary(0, { reward }), success).icon;
    expect([iconOf(0.7, 0.5), iconOf(0.9999999999, 1)]).toEqual(["pass", "pass"]);
    expect(iconOf(1, 10)).toBe("circle-large-outline");
    const ofGroup = (reward: number, success: number) =>
      groupRow(0, [aRolloutSummary(0, { reward }), aRolloutSummary(1, { reward })], success).icon;
    expect([ofGroup(0.7, 0.5), ofGroup(1, 10)]).toEqual(["pass", "circle-outline"]);
  });

  it("of groups treat rewards that differ only by rounding as equal", () => {
    const group = [aRolloutSummary(0, { reward: 0.3 }), aRolloutSummary(1, { reward: 0.1 + 0.2 })];
    expect(groupRow(0, group, 1)).toMatchObject({
      description: "all 0.30 · train · 2 rollouts",
      icon: "circle-outline",
    });
  });

  it("show why a rollout was not trained on", () => {
    expect(trainingUseText(excluded)).toBe("Not trained on: uniform rewards.");
    expect(trainingUseText(aRolloutSummary(1))).toBeNull();
  });
});
