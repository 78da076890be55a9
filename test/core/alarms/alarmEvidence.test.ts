import { expect, test } from "vitest";
import { alarmEvidence } from "../../../src/core/alarms/alarmEvidence.ts";
import { ALARM_IDS } from "../../../src/core/alarms/alarmFacts.ts";
import type { AlarmId } from "../../../src/core/config/fields/schema.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { LISTED_METRICS } from "../../../src/shared/runsPage.ts";
import { anAgentRecord, aRecord, aRecordedTurn } from "../runFolder/builders.ts";

function withTurn(changes: Partial<RolloutRecord["turns"][number]>): RolloutRecord {
  return aRecord({ turns: [aRecordedTurn(), aRecordedTurn(changes)] });
}

function made(id: AlarmId, group: readonly RolloutRecord[]): readonly boolean[] | undefined {
  return alarmEvidence(id).madeBy?.(group);
}

test("every alarm has a metric, and looks back over at least its own step", () => {
  for (const id of ALARM_IDS) {
    expect(alarmEvidence(id).metric, id).toMatch(/^[a-z_]+(\/[a-z_0-9/]+)?$/);
    expect(alarmEvidence(id).steps).toBeGreaterThan(0);
  }
});

test("the runs table shows the same divergence and entropy that alarms use", () => {
  for (const id of ["logprob_gap", "entropy_collapse"] as const)
    expect(LISTED_METRICS).toContain(alarmEvidence(id).metric);
});

test("rollouts that caused an alarm are found by their turns", () => {
  const usual = aRecord();
  const error = {
    name: "answer",
    text: "No such tool",
    isError: true,
    reward: null,
    finished: false,
  };
  expect(made("truncated_turns", [usual, withTurn({ isTruncated: true })])).toEqual([false, true]);
  expect(made("tool_errors", [usual, withTurn({ results: [error] })])).toEqual([false, true]);
  const unread = { calls: [], results: [] };
  expect(made("parse_success", [usual, withTurn(unread)])).toEqual([false, true]);
  const cutOff = withTurn({ ...unread, isTruncated: true });
  expect(made("parse_success", [cutOff])).toEqual([false]);
  const atItsLimit = withTurn({ ...unread, stopReason: "length", isTruncated: false });
  expect(made("truncated_turns", [atItsLimit])).toEqual([false]);
  expect(made("parse_success", [atItsLimit])).toEqual([true]);
  const answered = { name: "answer", text: "Right", isError: false, reward: 1, finished: true };
  expect(made("parse_success", [withTurn({ calls: [], results: [answered] })])).toEqual([false]);
  expect(made("missing_rewards", [usual, aRecord({ reward: null })])).toEqual([false, true]);
  const [played] = anAgentRecord().turns;
  const silent = {
    ...anAgentRecord(),
    turns: played === undefined ? [] : [{ ...played, ...unread }],
  };
  expect(made("parse_success", [silent])).toEqual([false]);
  const lost = {
    ...anAgentRecord(),
    agent: { exit: null, output: "", refusals: [] },
    error: "Lost.",
  };
  expect(made("agent_failures", [usual, anAgentRecord(), lost])).toEqual([false, true, false]);
  const noReward = { ...usual.rewardBreakdown, reduced: null, clamped: null };
  const invalid = aRecord({ rewards: [1e308, 1e308], rewardBreakdown: noReward });
  const without = aRecord({ rewards: [], rewardBreakdown: noReward });
  expect(made("nonfinite_rewards", [usual, invalid, without])).toEqual([false, true, false]);
});

test("rollouts of a group are found by comparison", () => {
  const [a, b] = [aRecord({ reward: 1 }), withTurn({ sampledText: "another" })];
  expect(made("identical_rollouts", [a, b, a])).toEqual([true, false, true]);
  expect(made("equal_rewards", [a, a])).toEqual([true, true]);
  expect(made("equal_rewards", [a, aRecord({ reward: 0 })])).toEqual([false, false]);
  expect(made("equal_rewards", [a, a, aRecord({ reward: null })])).toEqual([true, true, false]);
});
