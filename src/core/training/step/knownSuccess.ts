/** The starting point of a curriculum: how others fared in its tasks, if the environment's service knows. */

import { taskId } from "../../../shared/taskId.ts";
import { successReward } from "../../config/fields/presets.ts";
import { environmentConfig } from "../../config/taskChoices.ts";
import { countTokens } from "../../usage/tokenUsage.ts";
import type { RunContext } from "../run/context.ts";
import type { TriedTask } from "../tasks/curriculum.ts";
import type { ScoredGroup } from "../update/groups.ts";

/** Fewer rollouts say little about a task. */
const MIN_ROLLOUTS = 4;

/** Mean share of a success that others reached, from 0 to 1, by task id; only known tasks. */
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
 * One outcome per finished rollout: the share of a success it earned (0 without a reward) and its tokens. Rollouts that failed with an
 * error say nothing about their task and are left out.
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

/** The reward relative to the success reward, clamped to 0 to 1. */
function partOfSuccess(reward: number | null, success: number): number {
  if (reward === null) return 0;
  if (success <= 0) return reward >= success ? 1 : 0;
  return Math.min(1, Math.max(0, reward / success));
}
