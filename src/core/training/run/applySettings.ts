/** Changes tunable keys while a run continues: which changes are allowed, and how they take effect. */

import { configChanges } from "../../config/changes.ts";
import type { Config } from "../../config/fields/schema.ts";
import { environmentConfig } from "../../config/taskChoices.ts";
import { AppError } from "../../errors.ts";
import { rolloutSettings } from "../../rollout/settings.ts";
import { pricesUnknown } from "../../usage/priceList.ts";
import { totalSteps } from "../tasks/dataset.ts";
import { limitsOf, type PreparedEnvironment, pricesOf, type RunContext } from "./context.ts";
import { checkSchedule } from "./learningRate.ts";

/** The keys that differ in `after`; all must be tunable. */
export function tunableChanges(before: Config, after: Config): readonly string[] {
  const changes = configChanges(before, after);
  const refused = changes.find(({ change }) => change !== "tunable");
  if (refused !== undefined) {
    const how =
      refused.change === "identity"
        ? "it defines the run; start a new run instead"
        : "stop the run and resume it to change this";
    throw new AppError(
      "config-not-tunable",
      `${refused.path} cannot change during the run: ${how}.`,
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
  throw new AppError("config-unchanged", "The run already has these settings.");
}

function evaluated({ evaluation }: Config): readonly string[] {
  return Object.keys(evaluation?.splits ?? {});
}

/**
 * Applies `config`: resizes limits and gates and returns the updated context. Work in progress keeps its settings. @throws AppError
 * `config-conflict` when the schedule needs an end that the run no longer has, `prices-unknown` when a budget in USD cannot be measured;
 * nothing is changed then
 */
export function applySettings(context: RunContext, config: Config): RunContext {
  const { sequence, services } = context;
  const steps = totalSteps(config, sequence.epochLength);
  checkSchedule(config, steps);
  if (config.max_cost_usd !== null && pricesOf({ ...context, config }) === null) {
    throw pricesUnknown(config.model_name);
  }
  resizeLimits(context, config);
  const environments = [...services.environments].map(
    ([name, prepared]): readonly [string, PreparedEnvironment] => {
      const settings = rolloutSettings(config, environmentConfig(config, name), prepared.given);
      return [name, { ...prepared, settings }];
    },
  );
  return {
    ...context,
    config,
    services: { ...services, environments: new Map(environments) },
    totalSteps: steps,
  };
}

function resizeLimits({ limits, services }: RunContext, config: Config): void {
  const { rollouts, samples } = limitsOf(config);
  limits.rollouts.resize(rollouts);
  limits.samples.resize(samples);
  for (const [name, { gate }] of services.environments) {
    const { max_concurrency: maxSessions } = environmentConfig(config, name);
    gate.setMaxSessions(maxSessions ?? Number.POSITIVE_INFINITY);
  }
}
