/** Where a curriculum starts from: how others fared in its tasks, where the service of its environment says so. */

import { taskId } from "../../../shared/taskId.ts";
import { successReward } from "../../config/fields/presets.ts";
import { environmentConfig } from "../../config/taskChoices.ts";
import { countTokens } from "../../usage/tokenUsage.ts";
import type { RunContext } from "../run/context.ts";
import type { TriedTask } from "../tasks/curriculum.ts";
import type { ScoredGroup } from "../update/groups.ts";

/** Fewer rollouts say little of a task. */
const MIN_ROLLOUTS = 4;

/** The part of a success that others came to on average, from 0 to 1, by the names of the tasks that are known. */
export async function knownSuccess({
  config,
  services,
}: Pick<RunContext, "config"> & {
  readonly services: Pick<RunContext["services"], "knownDifficulty">;
}): Promise<ReadonlyMap<string, number>> {
  const { knownDifficulty } = services;
  if (knownDifficulty === undefined) return new Map();
  const splits = Object.entries(config.environments).flatMap(([environment, own]) =>
    Object.keys(own.splits).map((split) => ({ environment, split })),
  );
  const known = await Promise.all(
    splits.map(async ({ environment, split }) => {
      const success = successReward(environmentConfig(config, environment));
      const tasks = await knownDifficulty({ environment, split });
      return tasks
        .filter(({ rollouts }) => (rollouts ?? 0) >= MIN_ROLLOUTS)
        .map(({ index, meanReward }) => {
          const name = taskId({ environment, split, index });
          return [name, partOfSuccess(meanReward, success)] as const;
        });
    }),
  );
  return new Map(known.flat());
}

/**
 * One for each rollout that the policy has ended: the part of a success that it earned, none without a reward, and its tokens. A fault
 * says nothing of its task.
 */
export function taskOutcomes(
  { config }: Pick<RunContext, "config">,
  groups: readonly ScoredGroup[],
): readonly TriedTask[] {
  return groups.flatMap(({ rollouts }) =>
    rollouts.flatMap(({ rollout: { record, facts } }) => {
      const { environment, split, index, reward } = record;
      if (reward === null && facts.errorClass !== null) return [];
      const success = partOfSuccess(reward, successReward(environmentConfig(config, environment)));
      return [{ environment, split, index, success, tokens: countTokens(facts.usage.used) }];
    }),
  );
}

/** From 0 to 1: a reward beside the one that counts as success. */
function partOfSuccess(reward: number | null, success: number): number {
  if (reward === null) return 0;
  if (success <= 0) return reward >= success ? 1 : 0;
  return Math.min(1, Math.max(0, reward / success));
}
