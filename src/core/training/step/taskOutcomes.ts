/** What a curriculum learns of the tasks of a step. */

import { successReward } from "../../config/fields/presets.ts";
import { environmentConfig } from "../../config/taskChoices.ts";
import { countTokens } from "../../usage/tokenUsage.ts";
import type { RunContext } from "../run/context.ts";
import type { TriedTask } from "../tasks/curriculum.ts";
import type { ScoredGroup } from "../update/groups.ts";

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
export function partOfSuccess(reward: number | null, success: number): number {
  if (reward === null) return 0;
  if (success <= 0) return reward >= success ? 1 : 0;
  return Math.min(1, Math.max(0, reward / success));
}
