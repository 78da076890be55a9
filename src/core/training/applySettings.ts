/** New values for tunable keys while a run goes on: which are allowed, and how they come into force. */

import { configChanges } from "../config/changes.ts";
import { isLocalModel } from "../config/presets.ts";
import { type Config, defaultEnvironment } from "../config/schema.ts";
import { AppError } from "../errors.ts";
import { rolloutSettings } from "../rollout/settings.ts";
import { type PreparedEnvironment, type RunContext, runLimits } from "./context.ts";
import { totalSteps } from "./dataset.ts";
import { learningRateAt } from "./schedule.ts";

/**
 * The keys in which `after` differs, all of them tunable.
 * @throws AppError `config-not-tunable`, `config-unchanged`
 */
export function tunableChanges(before: Config, after: Config): readonly string[] {
  const changes = configChanges(before, after);
  const refused = changes.find(({ change }) => change !== "tunable");
  if (refused !== undefined) {
    const how =
      refused.change === "identity"
        ? "it decides what the run is; start a new run for it"
        : "it can when the run is stopped and resumed";
    throw new AppError(
      "config-not-tunable",
      `${refused.path} cannot change while the run goes on: ${how}.`,
      { configPath: refused.path },
    );
  }
  const known = new Set([...Object.keys(before.environments), ...evaluated(before)]);
  const unknown = evaluated(after).find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new AppError(
      "config-not-tunable",
      `evaluation.splits names ${unknown}, which this run is not connected to. Stop the run, then resume it with the new setting.`,
      { configPath: "evaluation.splits" },
    );
  }
  if (changes.length > 0) return changes.map(({ path }) => path);
  throw new AppError("config-unchanged", "The settings are those that the run has already.");
}

function evaluated({ evaluation }: Config): readonly string[] {
  return Object.keys(evaluation?.splits ?? {});
}

/**
 * The context with `config` in force; what is under way keeps the settings it began with.
 * @throws AppError `config-conflict` when the schedule needs an end that the run no longer has; nothing is changed then
 */
export function applySettings(context: RunContext, config: Config): RunContext {
  const { limits, sequence } = context;
  const steps = totalSteps(config, sequence.epochLength);
  learningRateAt(config, 0, steps);
  const wanted = runLimits(config);
  limits.rollouts.resize(wanted.rollouts.limit);
  limits.samples.resize(wanted.samples.limit);
  const kind = isLocalModel(config.model_name) ? "local" : "hosted";
  const environments = [...context.environments].map(
    ([name, prepared]): readonly [string, PreparedEnvironment] => {
      const own = config.environments[name] ?? defaultEnvironment(kind);
      prepared.gate.setMaxSessions(own.max_concurrency ?? Number.POSITIVE_INFINITY);
      return [name, { ...prepared, settings: rolloutSettings(config, own, prepared.given) }];
    },
  );
  return {
    ...context,
    config,
    environments: new Map(environments),
    totalSteps: steps,
  };
}
