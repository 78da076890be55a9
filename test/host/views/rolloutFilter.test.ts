import { describe, expect, it } from "vitest";
import type { RolloutSummary } from "../../../src/core/runFolder/reader.ts";
import { inOrder, isShown, type TreeFilter } from "../../../src/host/views/rolloutFilter.ts";
import {
  groupRow,
  rolloutItemRow,
  trainingUseText,
} from "../../../src/host/views/trajectoryRows.ts";

function aRollout(rollout: number, changes: Partial<RolloutSummary> = {}): RolloutSummary {
  return {
    kind: "ended",
    source: "training",
    step: 0,
    group: 0,
    rollout,
    taskKey: "k",
    environment: "local/calculator",
    temperature: null,
    split: "train",
    index: 7,
    offset: 0,
    length: 1,
    attempt: 0,
    reward: 1,
    error: null,
    stop: "reached_terminal_state",
    turns: 2,
    tokens: 812,
    toolCalls: 2,
    failedToolCalls: 0,
    durationMs: 10,
    score: { advantage: 1.12, trainingUse: "trained" },
    tokenData: [],
    ...changes,
  } as RolloutSummary;
}

const failed = aRollout(2, { reward: null, stop: "error", error: "boom", score: null });
const excluded = aRollout(3, {
  reward: 0,
  score: { advantage: null, trainingUse: "excluded:uniform_rewards" },
});

describe("a filter", () => {
  it.each([
    [{ kind: "reward", from: 0.5, to: 1 }, [1]],
    [{ kind: "failed" }, [2]],
    [{ kind: "excluded" }, [3]],
    [{ kind: "stop", stop: "error" }, [2]],
    [{ kind: "environment", environment: "local/depot" }, []],
    [null, [1, 2, 3]],
  ] as const)("%j shows the rollouts %j", (filter, numbers) => {
    const shown = [aRollout(1), failed, excluded].filter((each) =>
      isShown(each, filter as TreeFilter | null),
    );
    expect(shown.map(({ rollout }) => rollout)).toEqual(numbers);
  });
});

it("rollouts are ordered by what was asked for, those without a value last", () => {
  const rollouts = [aRollout(1, { reward: 0.2 }), failed, aRollout(4, { reward: 0.9 })];
  expect(inOrder(rollouts, "reward").map(({ rollout }) => rollout)).toEqual([4, 1, 2]);
  expect(inOrder(rollouts, "number")).toBe(rollouts);
});

describe("rows", () => {
  it("of a rollout name reward, advantage, length and end, counted from 1", () => {
    expect(rolloutItemRow(aRollout(2), 1)).toMatchObject({
      label: "#3",
      description: "1.00 · +1.12 · 2 turns · 812 tok · finished",
      spoken: "rollout 3, reward 1.00, adv +1.12, 2 turns, 812 tok, finished",
    });
  });

  it("of a group name the spread of its rewards", () => {
    const mixed = [aRollout(0), aRollout(1, { reward: 0 })];
    expect(groupRow(0, mixed, 1)).toMatchObject({
      label: "calculator 7",
      description: "0.50 · 0.00 … 1.00 · train · 2 rollouts",
      spoken: "calculator train 7, mean 0.50, 0.00 … 1.00, 2 rollouts",
    });
    expect(groupRow(0, [aRollout(0), aRollout(1)], 1).description).toBe(
      "all 1.00 · train · 2 rollouts",
    );
    expect(groupRow(0, [aRollout(0, { model: "step 8", temperature: 0 })], 1).description).toBe(
      "1.00 · train · greedy · step 8 · 1 rollout",
    );
    expect(groupRow(0, [failed], 1).description).toBe("no reward · train · 1 rollout");
    expect(groupRow(0, [excluded], 1).context).toBe("group+excluded");
  });

  it("have the sign of a success from the success reward of the environment on", () => {
    const iconOf = (reward: number, success: number) =>
      rolloutItemRow(aRollout(0, { reward }), success).icon;
    expect([iconOf(0.7, 0.5), iconOf(0.9999999999, 1)]).toEqual(["pass", "pass"]);
    expect(iconOf(1, 10)).toBe("circle-large-outline");
    const ofGroup = (reward: number, success: number) =>
      groupRow(0, [aRollout(0, { reward }), aRollout(1, { reward })], success).icon;
    expect([ofGroup(0.7, 0.5), ofGroup(1, 10)]).toEqual(["pass", "circle-outline"]);
  });

  it("of a group take sums of rewards that differ by their rounding only for equal", () => {
    const group = [aRollout(0, { reward: 0.3 }), aRollout(1, { reward: 0.1 + 0.2 })];
    expect(groupRow(0, group, 1)).toMatchObject({
      description: "all 0.30 · train · 2 rollouts",
      icon: "circle-outline",
    });
  });

  it("say why a rollout was not trained on", () => {
    expect(trainingUseText(excluded)).toBe("Not trained on: uniform rewards.");
    expect(trainingUseText(aRollout(1))).toBeNull();
  });
});
