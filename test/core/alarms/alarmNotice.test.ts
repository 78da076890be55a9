import { describe, expect, it } from "vitest";
import { alarmBegins, firingAlarms, noticeOf } from "../../../src/core/alarms/alarmEvents.ts";
import { ALARMS } from "../../../src/core/alarms/alarmTable.ts";
import { type AlarmNotice, alarmNotice } from "../../../src/core/alarms/evaluateAlarms.ts";
import {
  editSetting,
  editsChange,
  editsTitle,
  editText,
} from "../../../src/core/alarms/formatSettingChange.ts";
import type { AlarmId, Config, EnvironmentConfig } from "../../../src/core/config/fields/schema.ts";
import { parseConfig } from "../../../src/core/config/parse.ts";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import { aCheckpointEntry } from "../runFolder/builders.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../training/builders.ts";
import { type Numbers, times, watched } from "./aRow.ts";

interface Setup {
  readonly config?: Partial<Config>;
  readonly environment?: Partial<EnvironmentConfig>;
  readonly steps?: readonly Numbers[];
  readonly checkpoints?: readonly CheckpointEntry[];
}

/** The notice of `id` after healthy steps and then `steps`. */
function noticed(
  id: AlarmId,
  { config, environment, steps = [], checkpoints = [] }: Setup = {},
): AlarmNotice {
  const environments = { [ENVIRONMENT]: anEnvironment(environment) };
  const { last, past } = watched([...times(12), ...steps]);
  const state = last.find((each) => each.id === id);
  const notice =
    state === undefined
      ? null
      : alarmNotice(state, past, aConfig({ environments, ...config }), checkpoints);
  if (notice === null) throw new Error(`${id} was not judged`);
  return notice;
}

const edits = (id: AlarmId, setup?: Setup): readonly string[] =>
  noticed(id, setup).edits.map(editText);

describe("an alarm notice", () => {
  it("names the value and the threshold", () => {
    const cut = { "rollout/turn_truncated_frac": 0.41 };
    expect(noticed("truncated_turns", { steps: [cut] })).toMatchObject({
      severity: "warning",
      seen: "41% of the turns were cut off by a token limit (alarm above 30%).",
    });
  });

  it("distinguishes solved tasks from tasks that are too hard", () => {
    const equal = { "group/frac_mixed": 0.05 };
    const good = times(5, { ...equal, "group/frac_all_good": 0.9 });
    const bad = times(5, { ...equal, "group/frac_all_good": 0 });
    const learned = noticed("equal_rewards", { steps: good });
    expect(learned).toMatchObject({ severity: "info", edits: [] });
    expect(learned.meaning).toContain("harder tasks");
    const hard = noticed("equal_rewards", { steps: bad });
    expect(hard).toMatchObject({ severity: "warning" });
    expect(hard.meaning).toContain("easier tasks");
  });

  it("distinguishes a model that lost its calls from one that never made any", () => {
    const unread = { "rollout/parse_ok_frac": 0 };
    const lost = noticed("parse_success", { steps: [unread], config: { learning_rate: 1e-4 } });
    expect(lost.seen).toMatch(/^None of the turns/);
    expect(lost.meaning).toContain("so training broke this");
    expect(lost.edits.map(editText)).toEqual(["learning_rate: 0.00005"]);
    const { meaning, edits: suggested } = noticed("parse_success", {
      steps: times(20, unread),
      config: { chat_format: "reference" },
    });
    expect(meaning).toContain("chat format");
    expect(suggested.map(editText)).toEqual(['chat_format: "auto"']);
  });

  it("distinguishes calls that the model gets wrong from an environment that crashes or is too slow", () => {
    const advice = (stops: Numbers) => {
      const steps = [{ "rollout/failed_tool_calls/mean": 2, ...stops }];
      const { meaning, edits: suggested } = noticed("tool_errors", {
        steps,
        config: { tool_timeout: 3 },
      });
      return [meaning, suggested.map(editText)];
    };
    const crashes = expect.stringContaining("the environment's own code failed");
    const timeouts = expect.stringContaining("longer than `tool_timeout`");
    const wrong = expect.stringContaining("The model calls tools that do not exist");
    expect(advice({ "rollout/stop_reason/tool_crashed/count": 32 })).toEqual([crashes, []]);
    expect(advice({ "rollout/stop_reason/tool_timeout/count": 60 })).toEqual([
      timeouts,
      ["tool_timeout: 6"],
    ]);
    expect(advice({ "rollout/stop_reason/tool_crashed/count": 31 })).toEqual([wrong, []]);
  });

  it("distinguishes growing responses from shrinking ones", () => {
    const change = (mean: number) => times(3, { "rollout/response_tokens/mean": mean });
    expect(noticed("response_length", { steps: change(300) }).seen).toContain("from 100 to 300");
    expect(noticed("response_length", { steps: change(30) }).seen).toContain("from 100 to 30");
  });
});

describe("an alarm suggests", () => {
  it("longer turns, within a rollout's limit", () => {
    const steps = [{ "rollout/turn_truncated_frac": 0.5 }];
    const limits = (response: number, total: number, model_name = "Qwen/Qwen3-8B") =>
      edits("truncated_turns", {
        steps,
        config: { max_response_tokens: response, max_total_tokens: total, model_name },
      });
    expect(limits(1_000, 8_000)).toEqual(["max_response_tokens: 2000"]);
    expect(limits(6_000, 8_000)).toEqual(["max_response_tokens: 12000", "max_total_tokens: 24000"]);
    expect(limits(200, 256, "local/tiny-tool")).toEqual(["max_response_tokens: 256"]);
    expect(limits(256, 256, "local/tiny-tool")).toEqual([]);
  });

  it("changes to restricted sampling settings first", () => {
    const steps = [{ "rollout/duplicate_frac": 0.9 }];
    const prefix = `environments.${ENVIRONMENT}`;
    expect(edits("identical_rollouts", { steps, environment: { temperature: 0.2 } })).toEqual([
      `${prefix}.temperature: 1`,
    ]);
    expect(edits("identical_rollouts", { steps, environment: { top_p: 0.1, top_k: 1 } })).toEqual([
      `${prefix}.top_p: null`,
      `${prefix}.top_k: null`,
    ]);
    for (const environment of [{}, { top_k: 0 }]) {
      const suggested = edits("identical_rollouts", { steps, environment });
      expect(suggested).toEqual(["sampling_seed: false"]);
    }
  });

  it("smaller updates when sampler and trainer drift apart", () => {
    const steps = [{ "optim/kl_sample_train_v2": 0.1 }];
    expect(edits("logprob_gap", { steps, config: { num_substeps: 4 } })).toEqual([
      "num_substeps: 1",
    ]);
    expect(edits("logprob_gap", { steps, config: { learning_rate: 3e-5 } })).toEqual([
      "learning_rate: 0.000015",
    ]);
  });

  it("changes that fit how rollouts without a reward ended", () => {
    const missing = { "rollout/reward/count": 44 };
    const of = (why: Numbers) => edits("missing_rewards", { steps: [{ ...missing, ...why }] });
    expect(of({ "errors/total": 15 })).toEqual([
      `environments.${ENVIRONMENT}.max_failing_rollouts: 1`,
    ]);
    expect(of({ "rollout/reward/count": 0, "errors/total": 64 })).toEqual([]);
    expect(of({ num_timed_out: 15 })).toEqual(["rollout_timeout: 600"]);
    expect(of({ "rollout/agent/count": 64, "rollout/agent/failed_frac": 0.25 })).toEqual([]);
    const nonterminal = [`environments.${ENVIRONMENT}.nonterminal_reward: 0`];
    expect(of({})).toEqual(nonterminal);
    expect(of({ "rollout/stop_reason/reached_terminal_state/count": 44 })).toEqual(nonterminal);
    expect(of({ "rollout/stop_reason/reached_terminal_state/count": 60 })).toEqual([]);
  });

  it("no allowance for failures in groups of two, because a comparison needs two", () => {
    const steps = [{ "rollout/nonfinite_rewards": 2 }];
    const of = (num_rollouts: number) =>
      edits("nonfinite_rewards", { steps, environment: { num_rollouts } });
    expect(of(2)).toEqual([]);
    expect(of(3)).toEqual([`environments.${ENVIRONMENT}.max_failing_rollouts: 1`]);
  });

  it("no allowance for failures if most rewards are invalid, because nothing is left to compare", () => {
    const of = (rewards: number) =>
      noticed("nonfinite_rewards", { steps: [{ "rollout/nonfinite_rewards": rewards }] });
    expect(of(2).edits.map(editText)).toEqual([
      `environments.${ENVIRONMENT}.max_failing_rollouts: 1`,
    ]);
    expect(of(64).edits).toEqual([]);
    expect(of(64).meaning).toContain("Fix it there");
    expect(of(64).meaning).not.toContain("max_failing_rollouts");
  });

  it("only values that a configuration accepts", () => {
    const healthy = times(20, { "optim/kl_policy_base": 0.01 });
    const bad = {
      "optim/kl_policy_base": 1,
      "rollout/parse_ok_frac": 0.1,
      "rollout/failed_tool_calls/mean": 2,
      "rollout/turn_truncated_frac": 0.5,
      "group/frac_mixed": 0,
      "group/frac_all_good": 0,
      "rollout/duplicate_frac": 1,
      "rollout/nonfinite_rewards": 2,
      "optim/kl_sample_train_v2": 1,
      "async/staleness/max": 2,
      "rollout/response_tokens/mean": 400,
      "rollout/reward/count": 40,
      "client/event_loop_lag_ms": 900,
      "budget/cost_frac": 0.9,
      "budget/tokens_frac": 0.9,
      "budget/hours_frac": 0.9,
      loss: 1,
      "fit/steps": 25,
      "fit/was": 1,
      "fit/now": 3,
      "held_out/loss": 2,
    };
    const agents = { ...bad, "rollout/agent/count": 64, "rollout/agent/failed_frac": 0.5 };
    const environments = { [ENVIRONMENT]: anEnvironment({ temperature: 1.5 }) };
    const prices = { sampled: 1, prefill_cached: 1, prefill_uncached: 1, trained: 1 };
    const budgets = { max_cost_usd: 0.5, max_tokens_total: 1_000, max_hours: 2, prices };
    const config = aConfig({ environments, chat_format: "reference", ...budgets });
    const notices = [bad, agents].flatMap((now) => {
      const { last, past } = watched([...healthy, ...times(5, now)]);
      return last.flatMap((state) => alarmNotice(state, past, config) ?? []);
    });
    const noticed = new Set(notices.map(({ id }) => id));
    expect([...noticed].sort()).toEqual(Object.keys(ALARMS).sort());
    for (const { path, value } of notices.flatMap(({ edits }) => edits)) {
      const text = JSON.stringify(withValue(config, path, value));
      expect(parseConfig(text, { path: "config.json" })).toMatchObject({ ok: true });
    }
  });
});

function withValue(tree: object, [key = "", ...rest]: readonly string[], value: unknown): object {
  const inner: unknown = Object.getOwnPropertyDescriptor(tree, key)?.value;
  const isLeaf = rest.length === 0 || typeof inner !== "object" || inner === null;
  return { ...tree, [key]: isLeaf ? value : withValue(inner, rest, value) };
}

describe("a suggestion as text", () => {
  const temperature = { path: ["environments", "Owner/Game.v2", "temperature"], value: 1 };

  it("is a button title, once for all environments", () => {
    const other = { path: ["environments", "a/b", "temperature"], value: 1 };
    const tokens = { path: ["max_total_tokens"], value: 512 };
    expect(editsTitle([temperature, other])).toBe("Set temperature to 1");
    expect(editsTitle([other, tokens])).toBe("Set temperature to 1 and max_total_tokens to 512");
  });

  it("is one setting for a command line, with quotes around names with dots", () => {
    expect(editSetting(temperature)).toBe('environments."Owner/Game.v2".temperature=1');
  });

  it("applies from the time when all of its keys can change", () => {
    const seed = { path: ["sampling_seed"], value: false };
    const size = { path: ["environments", "a/b", "num_rollouts"], value: 16 };
    expect(editsChange([temperature])).toBe("tunable");
    expect(editsChange([temperature, seed])).toBe("fixed");
    expect(editsChange([temperature, seed, size])).toBe("identity");
  });
});

describe("an alarm about a fallen reward", () => {
  const steps = [
    ...times(6, { "optim/lr": 0.004, "rollout/reward/mean": 0.8 }),
    ...times(4, { "optim/lr": 0.2, "rollout/reward/mean": 0 }),
  ];
  const config = { learning_rate: 0.2 };

  it("suggests the learning rate from before it was raised, or otherwise half of it", () => {
    expect(edits("reward_decline", { steps, config })).toEqual(["learning_rate: 0.004"]);
    const warming = { ...config, warmup_steps: 18 };
    expect(edits("reward_decline", { steps, config: warming })).toEqual(["learning_rate: 0.1"]);
  });

  it("names the newest checkpoint with the good weights, or reports that there is none", () => {
    const saved = (step: number, changes: Partial<CheckpointEntry> = {}) =>
      aCheckpointEntry({
        name: `c${step}`,
        step,
        state_path: `tinker://r/weights/c${step}`,
        ...changes,
      });
    const checkpoints = [saved(10), saved(15), saved(16, { kind: "rolling" }), saved(20)];
    const notice = noticed("reward_decline", { steps, config, checkpoints });
    expect(notice.meaning).toContain("Go back to c15, saved after 15 steps, with a lower learning");
    expect(notice.goBackTo).toBe("tinker://r/weights/c15");
    const none = noticed("reward_decline", { steps, config });
    expect(none.meaning).toContain("no checkpoint of them is left");
    expect(none).not.toHaveProperty("goBackTo");
  });
});

describe("alarms in the events of a run", () => {
  const notice = noticed("truncated_turns", { steps: [{ "rollout/turn_truncated_frac": 0.5 }] });
  const event = (step: number, of = notice) => ({
    timeMs: 0,
    attempt: 1,
    ...alarmBegins(step, of),
  });

  it("are read as they were written", () => {
    expect(noticeOf(event(3))).toEqual(notice);
    expect(noticeOf({ ...event(3), data: { alarm: "of-another-version" } })).toBeNull();
    expect(noticeOf({ ...event(3), kind: "run-started" })).toBeNull();
  });

  it("suggest only numbers, switches, and known words, because a run folder can come from anywhere", () => {
    const suggesting = (path: readonly string[], value: string | number) =>
      noticeOf(event(1, { ...notice, edits: [{ path, value }] }));
    expect(suggesting(["max_response_tokens"], 1)).not.toBeNull();
    expect(suggesting(["chat_format"], "auto")).not.toBeNull();
    expect(suggesting(["tinker_base_url"], "https://example.test")).toBeNull();
    expect(suggesting(["secrets", "KEY"], "x")).toBeNull();
    expect(suggesting(["no_such_key"], 1)).toBeNull();
  });

  it("about a budget that ended the run report that, not the usage when they began", () => {
    const used = noticed("token_budget", { steps: [{ "budget/tokens_frac": 0.82 }] });
    const ending = { code: "token-budget", message: "The run has used up its budget." };
    expect(firingAlarms(() => true, [event(4, used)], ending)).toMatchObject([
      { id: "token_budget", step: 4, seen: ending.message, edits: [] },
    ]);
    expect(firingAlarms(() => true, [event(4, used)])).toMatchObject([{ seen: used.seen }]);
  });

  it("fire according to the last row, each with its latest start, the most severe first", () => {
    const critical = noticed("stale_sampler", { steps: [{ "async/staleness/max": 1 }] });
    const over = noticed("tool_errors", { steps: [{ "rollout/failed_tool_calls/mean": 2 }] });
    const events = [event(2), event(4, over), event(5, critical), event(8)];
    const firing = firingAlarms((id) => id !== "tool_errors", events);
    expect(firing.map(({ id, step }) => [id, step])).toEqual([
      ["stale_sampler", 5],
      ["truncated_turns", 8],
    ]);
  });
});
