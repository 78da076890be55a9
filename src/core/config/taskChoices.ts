/** Which environments and splits a run takes its tasks from. */

import { isLocalModel } from "./fields/presets.ts";
import { type Config, defaultEnvironment, type EnvironmentConfig } from "./fields/schema.ts";

export interface SplitChoice {
  readonly environment: string;
  readonly split: string;
}

/** The splits to train on, by environment. */
export function trainedSplits(
  environments: Readonly<Record<string, { readonly splits: object }>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(environments).map(([name, { splits }]) => [name, Object.keys(splits)]),
  );
}

/** Splits to train on first, then those used only for evaluation. */
export function taskChoices({ environments, evaluation }: Config): readonly SplitChoice[] {
  const trained = Object.entries(trainedSplits(environments));
  const evaluated = Object.entries(evaluation?.splits ?? {});
  return [...trained, ...evaluated].flatMap(([environment, splits]) =>
    splits.map((split) => ({ environment, split })),
  );
}

/** The configuration of an environment; the defaults for one that only `evaluation` names. */
export function environmentConfig(config: Config, name: string): EnvironmentConfig {
  const kind = isLocalModel(config.model_name) ? "local" : "hosted";
  return config.environments[name] ?? defaultEnvironment(kind);
}

/**
 * The configuration reduced to one environment, without notifications, so that it needs no other services, keys or secrets. With `name`
 * null, no environment at all. Drops the environment's agent unless `keepsAgent`.
 */
export function withOnlyEnvironment(
  config: Config,
  name: string | null,
  { keepsAgent = false }: { readonly keepsAgent?: boolean } = {},
): Config {
  const alone = { ...config, environments: {}, evaluation: null, notify: [] };
  if (name === null) return alone;
  const own = environmentConfig(config, name);
  return { ...alone, environments: { [name]: keepsAgent ? own : { ...own, agent: null } } };
}

/** The configuration without the environments that its evaluation does not play, so that these are not started for it. */
export function withOnlyEvaluated(config: Config): Config {
  const { environments, evaluation } = config;
  const played = Object.entries(environments).filter(
    ([name]) => name in (evaluation?.splits ?? {}),
  );
  return { ...config, environments: Object.fromEntries(played) };
}
