/** The environments and splits whose tasks a run plays. */

import { isLocalModel } from "./fields/presets.ts";
import { type Config, defaultEnvironment, type EnvironmentConfig } from "./fields/schema.ts";

export interface SplitChoice {
  readonly environment: string;
  readonly split: string;
}

/** By environment the splits that are trained on. */
export function trainedSplits(
  environments: Readonly<Record<string, { readonly splits: object }>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(environments).map(([name, { splits }]) => [name, Object.keys(splits)]),
  );
}

/** Those to train on first, then those that only an evaluation plays. */
export function taskChoices({ environments, evaluation }: Config): readonly SplitChoice[] {
  const trained = Object.entries(trainedSplits(environments));
  const evaluated = Object.entries(evaluation?.splits ?? {});
  return [...trained, ...evaluated].flatMap(([environment, splits]) =>
    splits.map((split) => ({ environment, split })),
  );
}

/** What the configuration says of an environment; the defaults for one that only the evaluation names. */
export function environmentConfig(config: Config, name: string): EnvironmentConfig {
  const kind = isLocalModel(config.model_name) ? "local" : "hosted";
  return config.environments[name] ?? defaultEnvironment(kind);
}

/**
 * The configuration without other environments and notifications, and so without what only they need: services, keys and secrets.
 * Null = without any environment. Without its agent, too, where nothing is played by one.
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
