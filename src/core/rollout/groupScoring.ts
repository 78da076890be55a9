/**
 * Asks an environment to score a group as a whole. It scores transcripts, so the sessions of the rollouts need not stay open:
 * a fresh session of the same task is opened when the last rollout has ended.
 */

import { inFreshSessions } from "./attempts.ts";
import { candidateOf } from "./candidate.ts";
import { type FinishedRollout, type RolloutOptions, withGroupScore } from "./rollout.ts";

type GroupScoringOptions = Pick<
  RolloutOptions,
  "gate" | "clock" | "settings" | "random" | "log" | "whileWaiting"
>;

/**
 * The rollouts with their scores, in their order, after as many attempts as a rollout has. Where the environment cannot score them,
 * all have failed: no score is invented, and rewards of single calls do not stand in for it.
 */
export async function scoreGroup(
  options: GroupScoringOptions,
  rollouts: readonly FinishedRollout[],
  signal: AbortSignal,
): Promise<readonly FinishedRollout[]> {
  const { settings } = options;
  const [first] = rollouts;
  if (first === undefined) return [];
  const { record: task } = first;
  const name = `The scoring of the group of ${task.taskKey}`;
  const candidates = rollouts.map(({ record, scoredFrom }) =>
    candidateOf(record, scoredFrom ?? []),
  );
  const last = await inFreshSessions({ ...options, task, name, signal }, (session, limit) =>
    session.scoreGroup(candidates, limit),
  );
  return rollouts.map((rollout, i) => {
    const score = last.result?.[i];
    const outcome = score === undefined ? { error: last.error } : { score };
    return withGroupScore(rollout, outcome, settings.rewards);
  });
}
