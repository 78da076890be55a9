import { describe, expect, it } from "vitest";
import { ALARM_IDS } from "../../../src/core/alarms/alarmFacts.ts";
import { AlarmHistory } from "../../../src/core/alarms/alarmHistory.ts";
import { evaluateAlarms } from "../../../src/core/alarms/evaluateAlarms.ts";
import { aConfig } from "../training/builders.ts";
import { aRow, type Numbers, times, watched } from "./aRow.ts";

/** Alarms that begin at a step with these numbers after five healthy ones. */
function begunBy(numbers: Numbers): readonly string[] {
  return watched([...times(5), numbers]).changes;
}

describe("alarms", () => {
  it("stay silent for a healthy run", () => {
    expect(watched(times(30)).changes).toEqual([]);
  });

  const bad: readonly (readonly [string, Numbers])[] = [
    ["parse_success", { "rollout/parse_ok_frac": 0.4 }],
    ["tool_errors", { "rollout/failed_tool_calls/mean": 1.2 }],
    ["truncated_turns", { "rollout/turn_truncated_frac": 0.4 }],
    ["identical_rollouts", { "rollout/duplicate_frac": 0.9 }],
    ["nonfinite_rewards", { "rollout/nonfinite_rewards": 1 }],
    ["logprob_gap", { "optim/kl_sample_train_v2": 0.1 }],
    ["stale_sampler", { "async/staleness/max": 1 }],
    ["missing_rewards", { "rollout/reward/count": 56 }],
    [
      "agent_failures",
      {
        "rollout/parse_ok_frac": 0,
        "rollout/agent/count": 64,
        "rollout/agent/turns": 128,
        "rollout/agent/failed_frac": 0.125,
      },
    ],
  ];
  it.each(bad)("fire immediately: %s", (id, numbers) => {
    expect(begunBy(numbers)).toEqual([`5 ${id} begins`]);
  });

  const few: readonly (readonly [string, Numbers])[] = [
    ["turns", { "rollout/parse_ok_frac": 0, "rollout/tokens_per_turn/count": 15 }],
    [
      "turns that were not cut off",
      {
        "rollout/parse_ok_frac": 0.1,
        "rollout/turn_truncated_frac": 0.29,
        "rollout/tokens_per_turn/count": 20,
      },
    ],
    ["calls", { "rollout/failed_tool_calls/mean": 0.2, "rollout/tool_calls/mean": 0.2 }],
    ["rollouts that could be copies", { "rollout/duplicate_frac": 1, "group/size/mean": 2 }],
    ["compared tokens", { "optim/kl_sample_train_v2": 9, "optim/compared_tokens": 99 }],
    ["agents that failed", { "rollout/agent/count": 16, "rollout/agent/failed_frac": 0.1875 }],
    ["rollouts without a reward", { "group/size/mean": 2, "rollout/reward/count": 13 }],
  ];
  it.each(few)("wait for more than a few %s", (_what, numbers) => {
    expect(begunBy(numbers)).toEqual([]);
  });

  it("ignore turns without a call if the limit cut them off", () => {
    const cut = { "rollout/parse_ok_frac": 0.4, "rollout/turn_truncated_frac": 0.6 };
    expect(begunBy(cut)).toEqual(["5 truncated_turns begins"]);
  });

  it("count whole turns from stored shares, whose products are not whole", () => {
    const sixteen = {
      "rollout/tokens_per_turn/count": 45,
      "rollout/turn_truncated_frac": 29 / 45,
      "rollout/parse_ok_frac": 0,
    };
    expect(begunBy(sixteen)).toContain("5 parse_success begins");
  });

  it("judge turns without a call only in rollouts without an agent", () => {
    // Half of the turns are of agents, which need no calls.
    const mixed = { "rollout/agent/count": 32, "rollout/agent/turns": 64 };
    const ofAgents = { ...mixed, "rollout/agent/turn_truncated_frac": 0.02 };
    const bad = { ...ofAgents, "rollout/parse_ok_frac": 0.5, "rollout/agent/parse_ok_frac": 0.8 };
    expect(begunBy(bad)).toEqual(["5 parse_success begins"]);
    const good = { ...ofAgents, "rollout/parse_ok_frac": 0.45, "rollout/agent/parse_ok_frac": 0 };
    expect(begunBy(good)).toEqual([]);
  });

  it("ignore rollouts that are similar because the model is confident", () => {
    const sure = { "rollout/duplicate_frac": 0.97, "rollout/duplicate_expected_frac": 0.95 };
    expect(begunBy(sure)).toEqual([]);
  });

  it("can be turned off, and have other thresholds", () => {
    const steps = [...times(5), { "rollout/turn_truncated_frac": 0.4 }];
    expect(watched(steps, { truncated_turns: null }).changes).toEqual([]);
    expect(watched(steps, { truncated_turns: 0.5 }).changes).toEqual([]);
    const off = Object.fromEntries(ALARM_IDS.map((id) => [id, null]));
    expect(watched(times(8, { "rollout/parse_ok_frac": 0 }), off).changes).toEqual([]);
  });
});

describe("an alarm that fires", () => {
  const cut = { "rollout/turn_truncated_frac": 0.4 };

  it("ends after three steps without cause", () => {
    const { changes } = watched([...times(2), cut, {}, {}, cut, {}, {}, {}, {}]);
    expect(changes).toEqual(["2 truncated_turns begins", "8 truncated_turns ends"]);
  });

  it("continues while nothing can be evaluated", () => {
    const nothing = { "rollout/tokens_per_turn/count": 0, "rollout/turn_truncated_frac": null };
    expect(watched([cut, ...times(6, nothing)]).changes).toEqual(["0 truncated_turns begins"]);
  });

  it("ends when it is turned off", () => {
    const history = new AlarmHistory();
    history.add(aRow(0, { ...cut, "alarm/truncated_turns": 1 }));
    const states = evaluateAlarms(history.with(aRow(1, cut)), {
      ...aConfig().alarms,
      truncated_turns: null,
    });
    const ended = states.filter(({ change }) => change === "ends");
    expect(ended).toMatchObject([{ id: "truncated_turns", isFiring: false }]);
  });
});

describe("equal rewards", () => {
  const equal = { "group/frac_mixed": 0 };

  it("trigger an alarm after five steps in a row", () => {
    expect(watched([...times(3), ...times(4, equal), {}]).changes).toEqual([]);
    expect(watched([...times(3), ...times(5, equal)]).changes).toEqual(["7 equal_rewards begins"]);
  });

  it("trigger an alarm only with sixteen groups with rewards to compare", () => {
    expect(watched(times(5, { ...equal, "group/compared": 3 })).changes).toEqual([]);
  });
});

describe("the gap between sampler and trainer", () => {
  const gap = (value: number) => ({ "optim/kl_sample_train_v2": value });

  it("is measured over the first five steps", () => {
    const usual = times(5, gap(0.06));
    expect(watched([...usual, gap(0.1)]).changes).toEqual([]);
    expect(watched([...usual, gap(0.12)]).changes).toEqual(["5 logprob_gap begins"]);
    expect(watched([...usual, gap(0.3)]).changes).toEqual(["5 logprob_gap_critical begins"]);
  });

  it("triggers an alarm from the first step if it is larger than any model starts with", () => {
    expect(watched([gap(0.14)]).changes).toEqual([]);
    expect(watched([gap(0.4)]).changes).toEqual(["0 logprob_gap_critical begins"]);
  });

  it("is not tolerated when it stays large", () => {
    expect(watched([...times(5, gap(0.14)), gap(0.16)]).changes).toEqual(["5 logprob_gap begins"]);
  });

  it("has one alarm at a time: the critical one replaces the other, and lets it fire again later", () => {
    const { changes } = watched([
      ...times(5, gap(0.01)),
      ...[0.1, 0.1, 0.4, 0.1, 0.1, 0.1].map(gap),
    ]);
    expect(changes).toEqual([
      "5 logprob_gap begins",
      "7 logprob_gap_critical begins",
      "10 logprob_gap begins",
      "10 logprob_gap_critical ends",
    ]);
  });

  it("is evaluated when a correction masked everything because tokens are far apart", () => {
    const masked = { ...gap(2), "train/action_tokens": 0 };
    expect(watched([...times(5, gap(0.01)), masked]).changes).toEqual([
      "5 logprob_gap_critical begins",
    ]);
  });

  it("ignores steps that compared nothing", () => {
    const skipped = { "optim/kl_sample_train_v2": null, "optim/compared_tokens": 0 };
    expect(watched([...times(3, skipped), ...times(5, gap(0.01)), gap(0.07)]).changes).toEqual([
      "8 logprob_gap begins",
    ]);
  });
});

describe("an alarm about response length", () => {
  const long = { "rollout/response_tokens/mean": 210 };
  const short = { "rollout/response_tokens/mean": 45 };

  it("fires when it doubles or halves and the reward stays the same", () => {
    expect(watched([...times(10), ...times(3, long)]).changes).toEqual([
      "12 response_length begins",
    ]);
    expect(watched([...times(10), ...times(3, short)]).changes).toEqual([
      "12 response_length begins",
    ]);
  });

  it("does not fire when the reward improves", () => {
    const better = { ...long, "rollout/reward/mean": 0.7 };
    expect(watched([...times(10), ...times(3, better)]).changes).toEqual([]);
  });

  it("does not fire for shorter responses when everything is solved", () => {
    const learned = {
      "rollout/reward/mean": 1,
      "rollout/reward/std": 0,
      "rollout/success_frac": 1,
      "group/frac_mixed": 0.2,
    };
    const steps = [...times(10, learned), ...times(3, { ...learned, ...short })];
    expect(watched(steps).changes).toEqual([]);
  });

  it("ends when the new length has become normal", () => {
    const { changes } = watched([...times(10), ...times(20, long)]);
    expect(changes).toEqual(["12 response_length begins", "22 response_length ends"]);
  });
});

describe("a lag alarm", () => {
  const late = { "client/event_loop_lag_ms": 400 };

  it("fires for two long steps in a row", () => {
    expect(watched([...times(3), late]).changes).toEqual([]);
    expect(watched([...times(3), late, late]).changes).toEqual(["4 event_loop_lag begins"]);
  });

  it("does not fire for short steps", () => {
    expect(watched(times(5, { ...late, "time/total_s": 3 })).changes).toEqual([]);
  });
});
