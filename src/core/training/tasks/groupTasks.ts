/** The rollouts of a group, and which group of which step it is. */

import type { Config } from "../../config/fields/schema.ts";
import type { FinishedRollout, RolloutTask } from "../../rollout/rollout.ts";
import { type TaskItem, taskKeyOf } from "./dataset.ts";

export type GroupPlace = Pick<RolloutTask, "step" | "group">;

/** One for each rollout of a task. */
export function groupTasks(
  config: Config,
  item: TaskItem,
  place: GroupPlace,
): readonly RolloutTask[] {
  const { environment, split, index } = item;
  const size = config.environments[environment]?.num_rollouts ?? 0;
  const taskKey = taskKeyOf(item);
  return Array.from({ length: size }, (_, rollout) => ({
    ...place,
    rollout,
    taskKey,
    environment,
    split,
    index,
  }));
}

/** The rollout as one of the group at `place`, which may have been unknown when it was played. */
export function atPlace(rollout: FinishedRollout, { step, group }: GroupPlace): FinishedRollout {
  const { record, facts } = rollout;
  return {
    ...rollout,
    record: { ...record, step, group },
    facts: { ...facts, group },
  };
}
