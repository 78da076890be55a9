/** Which change of the configuration may help against an alarm. Nothing here is more than a first thing to try. */

import { isLocalModel } from "../config/presets.ts";
import type { AlarmId, Config, EnvironmentConfig } from "../config/schema.ts";
import type { Json } from "../json.ts";
import type { AlarmFacts } from "./alarmFacts.ts";
import { type AlarmPast, readableShare } from "./rules.ts";

/** From this share of readable turns on, a model knows how to call its tools. */
const READABLE = 0.7;

/** A key of the configuration, and the value that it should get. */
export interface AlarmEdit {
  readonly path: readonly string[];
  readonly value: Json;
}

/** Changes that belong together; empty when no setting helps. */
export function alarmEdits(id: AlarmId, past: AlarmPast, config: Config): readonly AlarmEdit[] {
  const facts = past.steps.at(-1);
  if (facts === undefined) return [];
  switch (id) {
    case "parse_success":
      return couldOnce(past) ? [slower(config)] : parseEdits(config);
    case "tool_errors":
      return inEnvironments(config, ({ temperature }) =>
        temperature > 1 ? ["temperature", 1] : null,
      );
    case "truncated_turns":
      return tokenEdits(config);
    case "equal_rewards":
      return areGood(facts) ? [] : varietyEdits(config);
    case "identical_rollouts":
      return identicalEdits(config);
    case "logprob_gap":
    case "logprob_gap_critical":
      return config.num_substeps > 1 ? [set("num_substeps", 1)] : [slower(config)];
    case "response_length":
      return [slower(config)];
    case "missing_rewards":
      return missingEdits(facts, config);
    case "event_loop_lag":
      return loadEdits(config);
    case "nonfinite_rewards":
      return patientEdits(config);
    case "stale_sampler":
      return [];
  }
}

/** True when groups with equal rewards are mostly ones that succeeded. */
export function areGood({ equalShare, allGoodShare }: AlarmFacts): boolean {
  return (allGoodShare ?? 0) * 2 >= (equalShare ?? 0);
}

/** True when most turns could be read a few steps before. */
export function couldOnce({ steps }: AlarmPast): boolean {
  return steps.some((facts) => (readableShare(facts) ?? 0) > READABLE);
}

/** Why most of the rollouts without a reward have none. */
export function whyMissing({ rollouts, scored, failed, timedOut }: AlarmFacts) {
  const missing = rollouts - scored;
  if (failed * 2 >= missing) return "errors";
  return timedOut * 2 >= missing ? "timeouts" : "unscored";
}

function parseEdits(config: Config): readonly AlarmEdit[] {
  if (config.chat_format !== "auto") return [set("chat_format", "auto")];
  return inEnvironments(config, ({ temperature }) => (temperature > 1 ? ["temperature", 1] : null));
}

/** A longer turn; where that has no room, a longer rollout as well. The bundled models have no longer context. */
function tokenEdits(config: Config): readonly AlarmEdit[] {
  const { max_response_tokens: response, max_total_tokens: total, model_name } = config;
  const wanted = 2 * response;
  if (wanted <= total) return [set("max_response_tokens", wanted)];
  if (isLocalModel(model_name)) {
    return response < total ? [set("max_response_tokens", total)] : [];
  }
  return [set("max_response_tokens", wanted), set("max_total_tokens", 2 * wanted)];
}

function varietyEdits(config: Config): readonly AlarmEdit[] {
  const sampling = samplingEdits(config);
  if (sampling.length > 0) return sampling;
  return inEnvironments(config, ({ num_rollouts }) => ["num_rollouts", 2 * num_rollouts]);
}

function identicalEdits(config: Config): readonly AlarmEdit[] {
  const sampling = samplingEdits(config);
  if (sampling.length > 0) return sampling;
  return config.sampling_seed ? [set("sampling_seed", false)] : [];
}

/** Takes back what makes sampling less varied than the model is. */
function samplingEdits(config: Config): readonly AlarmEdit[] {
  return [
    ...inEnvironments(config, ({ temperature }) => (temperature < 1 ? ["temperature", 1] : null)),
    ...inEnvironments(config, ({ top_p }) => ((top_p ?? 1) < 1 ? ["top_p", null] : null)),
    ...inEnvironments(config, ({ top_k }) => (top_k === null ? null : ["top_k", null])),
  ];
}

function missingEdits(facts: AlarmFacts, config: Config): readonly AlarmEdit[] {
  switch (whyMissing(facts)) {
    case "errors":
      return patientEdits(config);
    case "timeouts":
      return [set("rollout_timeout", 2 * config.rollout_timeout)];
    case "unscored":
      return inEnvironments(config, ({ nonterminal_reward }) =>
        nonterminal_reward === null ? ["nonterminal_reward", 0] : null,
      );
  }
}

/** Lets a group count although some of its rollouts have failed. */
function patientEdits(config: Config): readonly AlarmEdit[] {
  return inEnvironments(config, ({ num_rollouts, max_failing_rollouts }) => {
    const patient = Math.max(1, Math.floor(num_rollouts / 4));
    return max_failing_rollouts < patient ? ["max_failing_rollouts", patient] : null;
  });
}

function loadEdits(config: Config): readonly AlarmEdit[] {
  const key =
    config.max_rollout_concurrency === null ? "max_active_tasks" : "max_rollout_concurrency";
  const atOnce = config.max_rollout_concurrency ?? config.max_active_tasks;
  return atOnce < 2 ? [] : [set(key, Math.floor(atOnce / 2))];
}

function slower({ learning_rate }: Config): AlarmEdit {
  return set("learning_rate", Number((learning_rate / 2).toPrecision(6)));
}

function set(key: keyof Config, value: Json): AlarmEdit {
  return { path: [key], value };
}

function inEnvironments(
  { environments }: Config,
  edit: (environment: EnvironmentConfig) => readonly [keyof EnvironmentConfig, Json] | null,
): readonly AlarmEdit[] {
  return Object.entries(environments).flatMap(([name, own]) => {
    const found = edit(own);
    return found === null ? [] : [{ path: ["environments", name, found[0]], value: found[1] }];
  });
}
