/** Plays a list of rollouts within the run's limits and waits for all of them. */

import { groupBy } from "../../../shared/groupBy.ts";
import type { FinishedRollout, RolloutTask } from "../../rollout/rollout.ts";
import { raceAbort } from "../../util/abort.ts";
import type { PlayContext } from "../run/context.ts";
import { pauseUntilAvailable } from "../run/outages.ts";
import { type PlayOptions, RolloutPlayer } from "./rolloutPlayer.ts";

export type CollectOptions = Omit<PlayOptions, "context">;

/**
 * Resolves with the finished rollouts in the order of `tasks`, in which groups are contiguous. Rejects with the first fatal fault or the
 * reason of a stop, once nothing is playing anymore.
 * @throws AppError `run-capacity`, or the environment's error, when it is unavailable for too long
 */
export async function collectRollouts(
  context: PlayContext,
  tasks: readonly RolloutTask[],
  options: CollectOptions,
): Promise<readonly FinishedRollout[]> {
  const player = new RolloutPlayer(context);
  const groups = [...groupBy(tasks, (task) => task.group).values()];
  const ended = player.play(groups, { ...options, context });
  const step = tasks[0]?.step ?? 0;
  try {
    await pauseUntilAvailable(context, { step }, (signal) => raceAbort(player.end(), signal));
  } catch (error) {
    player.abort(error);
    await player.end().catch(() => undefined);
    throw error;
  }
  return (await Promise.all(ended)).flat();
}
