/** Filter and order of rollouts in the Trajectories view. */

import type { RolloutOrder, TreeFilter } from "../../api/trajectories.ts";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import { isFailedOutcome } from "../../shared/outcome.ts";

/** Whether the filter accepts the rollout; null accepts all. */
export function isShown(rollout: RolloutSummary, filter: TreeFilter | null): boolean {
  switch (filter?.kind) {
    case undefined:
      return true;
    case "reward":
      return (
        rollout.reward !== null && rollout.reward >= filter.from && rollout.reward <= filter.to
      );
    case "stop":
      return rollout.stop === filter.stop;
    case "failed":
      return isFailedOutcome(rollout);
    case "excluded":
      return rollout.score?.trainingUse.startsWith("excluded:") === true;
    case "tool errors":
      return rollout.failedToolCalls > 0;
  }
}

/** Sorts the rollouts of a group; stable for equal values. */
export function inOrder(
  rollouts: readonly RolloutSummary[],
  order: RolloutOrder,
): readonly RolloutSummary[] {
  if (order === "number") return rollouts;
  const value = (each: RolloutSummary): number => {
    const found = order === "advantage" ? each.score?.advantage : each[order];
    return found ?? Number.NEGATIVE_INFINITY;
  };
  return rollouts.toSorted((a, b) => value(b) - value(a));
}
