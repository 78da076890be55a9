/** Defaults that depend on the kind of model, and values derived from other settings. */

import type { Config, EnvironmentConfig } from "./schema.ts";

/** True for a model that is trained on this computer. */
export function isLocalModel(modelName: string): boolean {
  return modelName.startsWith("local/");
}

/** The environments that come with the program. */
export const EMBEDDED_ENVIRONMENT_NAMES = [
  "local/calculator",
  "local/number-hunt",
  "local/key-vault",
  "local/depot",
] as const;

const DATASET_NAME = /^local\/dataset(?::[a-z0-9][a-z0-9_-]*)?$/;

/** True for an environment whose tasks come from a user's file: `local/dataset`, or `local/dataset:NAME` for one of several. */
export function isDatasetEnvironment(name: string): boolean {
  return DATASET_NAME.test(name);
}

/** Steps between rolling saves, 0 for none. Locally every step, since repeating a step costs more than a save. */
export function rollingSaveEvery(config: Config): number {
  return config.rolling_save_every ?? (isLocalModel(config.model_name) ? 1 : 5);
}

/** The highest concurrency that was measured; each rollout holds its tokens and a connection. `null` allows at most this many. */
export const MAX_CONCURRENT_ROLLOUTS = 4096;

/** Maximum number of concurrent rollouts. By default all issued rollouts run at once, so that a step does not take several waves. */
export function maxConcurrentRollouts(config: Config): number {
  const given = config.max_rollout_concurrency ?? config.max_active_tasks;
  if (given !== null) return given;
  const groupSizes = Object.values(config.environments).map(({ num_rollouts }) => num_rollouts);
  const perStep = config.batch_size * Math.max(1, ...groupSizes);
  return Math.min(perStep * (config.max_steps_off_policy + 1), MAX_CONCURRENT_ROLLOUTS);
}

/** Maximum number of sampling requests in flight, by default one per concurrent rollout. */
export function maxConcurrentSamples(config: Config): number {
  return config.max_samples_in_flight ?? maxConcurrentRollouts(config);
}

/** Length of the penalty ramp below a token limit; by default a fifth, as in DAPO: 4,096 of 20,480 (arXiv:2503.14476). */
export function overlongBuffer(config: Config): number {
  return config.overlong_buffer ?? Math.max(1, Math.floor(config.max_response_tokens / 5));
}

/** The lowest reward that counts as a success in the environment. */
export function successReward({
  success_reward,
  max_reward,
}: Pick<EnvironmentConfig, "success_reward" | "max_reward">): number {
  return success_reward ?? max_reward ?? 1;
}

/** True when any environment has a teacher, which gives a training signal whatever the rewards are. */
export function hasTeacher({
  teacher,
  environments,
}: Pick<Config, "teacher" | "environments">): boolean {
  return teacher !== null || Object.values(environments).some((own) => own.teacher !== null);
}

/** What to do with groups of equal rewards: keep them if there is another signal (`direct` advantages or a teacher), otherwise drop. */
export function zeroVariancePolicy(config: Config): "drop" | "keep" {
  const hasOtherSignal = config.advantage_calculation === "direct" || hasTeacher(config);
  return config.zero_variance ?? (hasOtherSignal ? "keep" : "drop");
}
