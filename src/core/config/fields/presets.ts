/** The defaults for a kind of model, and the values that follow from other settings. */

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

/** True for an environment whose tasks are a file of the user: `local/dataset`, or `local/dataset:NAME` where there are several. */
export function isDatasetEnvironment(name: string): boolean {
  return DATASET_NAME.test(name);
}

/** Steps between two states to resume from, 0 for none: one step costs little locally and a save little less than a step. */
export function rollingSaveEvery(config: Config): number {
  return config.rolling_save_every ?? (isLocalModel(config.model_name) ? 1 : 5);
}

/** Rollouts at once that were measured; each waits in memory with its tokens and its connection. `null` allows no more. */
export const MOST_AT_ONCE = 4096;

/** Rollouts that may run at the same time: without a number all that are issued, which otherwise take several waves. */
export function rolloutsAtOnce(config: Config): number {
  const given = config.max_rollout_concurrency ?? config.max_active_tasks;
  if (given !== null) return given;
  const groupSizes = Object.values(config.environments).map(({ num_rollouts }) => num_rollouts);
  const perStep = config.batch_size * Math.max(1, ...groupSizes);
  return Math.min(perStep * (config.max_steps_off_policy + 1), MOST_AT_ONCE);
}

/** Samples that may wait for an answer at the same time: without a number one for each rollout. */
export function samplesAtOnce(config: Config): number {
  return config.max_samples_in_flight ?? rolloutsAtOnce(config);
}

/** Tokens below a limit in which the penalty for length grows; by default a fifth, as DAPO has 4,096 of 20,480 (arXiv:2503.14476). */
export function overlongBuffer(config: Config): number {
  return config.overlong_buffer ?? Math.max(1, Math.floor(config.max_response_tokens / 5));
}

/** The reward from which on a rollout of the environment is a success. */
export function successReward({
  success_reward,
  max_reward,
}: Pick<EnvironmentConfig, "success_reward" | "max_reward">): number {
  return success_reward ?? max_reward ?? 1;
}

/** True where some environment has a teacher, which teaches whatever the rewards are. */
export function hasTeacher({
  teacher,
  environments,
}: Pick<Config, "teacher" | "environments">): boolean {
  return teacher !== null || Object.values(environments).some((own) => own.teacher !== null);
}

/** What happens to a group with equal rewards: with `direct` advantages or a teacher it still teaches, otherwise all are zero. */
export function zeroVariancePolicy(config: Config): "drop" | "keep" {
  const hasOtherSignal = config.advantage_calculation === "direct" || hasTeacher(config);
  return config.zero_variance ?? (hasOtherSignal ? "keep" : "drop");
}
