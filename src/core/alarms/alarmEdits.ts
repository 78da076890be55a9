/** Configuration changes that may help against alarms. Each is only a first thing to try. */

import { isLocalModel, maxConcurrentRollouts } from "../config/fields/presets.ts";
import type { Config, EnvironmentConfig } from "../config/fields/schema.ts";
import type { Json } from "../json.ts";
import type { AlarmPast } from "./alarmHistory.ts";

/** A configuration key and its suggested value. */
export interface AlarmEdit {
  readonly path: readonly string[];
  readonly value: Json;
}

export type AlarmEdits = readonly AlarmEdit[];

export function setting(key: keyof Config, value: Json): AlarmEdits {
  return [{ path: [key], value }];
}

/** Changes a setting in every environment; no edit where it stays the same. */
export function inEnvironments<Key extends keyof EnvironmentConfig>(
  { environments }: Config,
  key: Key,
  change: (value: EnvironmentConfig[Key], environment: EnvironmentConfig) => Json,
): AlarmEdits {
  return Object.entries(environments).flatMap(([name, own]) => {
    const value = change(own[key], own);
    return value === own[key] ? [] : [{ path: ["environments", name, key], value }];
  });
}

/** The learning rate before it was raised, if that was within the last steps; else half of it. */
export function slower(config: Config, { steps }: Pick<AlarmPast, "steps">): AlarmEdits {
  const { learning_rate: rate, learning_rate_schedule: schedule, warmup_steps: warmup } = config;
  const before = steps.flatMap(({ step, learningRate }) =>
    step >= warmup && learningRate !== null && learningRate < rate ? learningRate : [],
  );
  const known = schedule === "constant" ? before.at(-1) : undefined;
  return setting("learning_rate", known ?? Number((rate / 2).toPrecision(6)));
}

export function noHotter(config: Config): AlarmEdits {
  return inEnvironments(config, "temperature", (temperature) => Math.min(temperature, 1));
}

/** Longer turns, and longer rollouts if there is no room. The context of the bundled models cannot grow. */
export function longerTurns(config: Config): AlarmEdits {
  const { max_response_tokens: response, max_total_tokens: total, model_name } = config;
  const doubled = setting("max_response_tokens", 2 * response);
  if (2 * response <= total) return doubled;
  if (!isLocalModel(model_name)) return doubled.concat(setting("max_total_tokens", 4 * response));
  return response < total ? setting("max_response_tokens", total) : [];
}

/** Removes settings that make sampling less varied than the model itself; `otherwise` if there are none. */
export function variedSampling(config: Config, otherwise: AlarmEdits): AlarmEdits {
  const edits = [
    ...inEnvironments(config, "temperature", (temperature) => Math.max(temperature, 1)),
    ...inEnvironments(config, "top_p", (share) => ((share ?? 1) < 1 ? null : share)),
    ...inEnvironments(config, "top_k", (most) => (most === 0 ? most : null)),
  ];
  return edits.length > 0 ? edits : otherwise;
}

export function moreRollouts(config: Config): AlarmEdits {
  return inEnvironments(config, "num_rollouts", (rollouts) => 2 * rollouts);
}

/** Lets a group count although some of its rollouts failed, leaving at least two to compare. */
export function allowFailures(config: Config): AlarmEdits {
  return inEnvironments(config, "max_failing_rollouts", (allowed, { num_rollouts }) =>
    Math.max(allowed, Math.min(Math.max(1, Math.floor(num_rollouts / 4)), num_rollouts - 2)),
  );
}

export function halfAtOnce(config: Config): AlarmEdits {
  const key =
    config.max_rollout_concurrency === null ? "max_active_tasks" : "max_rollout_concurrency";
  const atOnce = maxConcurrentRollouts(config);
  return atOnce < 2 ? [] : setting(key, Math.floor(atOnce / 2));
}
