/** Which stored rollouts of a run are taken: by what they earned, by marks, and at most so many of a task. */

import type { Mark } from "../../shared/marks.ts";
import { parseRolloutCondition } from "../../shared/rolloutCondition.ts";
import { taskId } from "../../shared/taskId.ts";
import { markFinder } from "../runFolder/marks.ts";
import type { RolloutSummary, RunReader } from "../runFolder/reader.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";
import { groupBy } from "../util/groupBy.ts";

export interface RolloutChoice {
  /** A condition of `rolloutCondition.ts`; null = all. */
  readonly where: string | null;
  readonly starred: boolean;
  /** One of these; empty = whatever its tags. */
  readonly tags: readonly string[];
  readonly maxPerTask: number | null;
}

export interface ChosenRollout {
  readonly summary: RolloutSummary;
  readonly mark: Mark;
}

/**
 * With a reward, in the order of steps, groups and rollouts. Those of training, or of evaluations where nothing was trained. `onStep` is
 * called with the number of rollouts of each step, and false ends the reading behind it.
 */
export async function chooseRollouts(
  reader: RunReader,
  choice: RolloutChoice,
  onStep: (rollouts: number) => boolean = () => true,
): Promise<readonly ChosenRollout[]> {
  const { where, starred, tags, maxPerTask } = choice;
  const passes = where === null ? () => true : parseRolloutCondition(where);
  const markOf = markFinder(await reader.marks());
  const trained = await reader.steps("training");
  // A run's own evaluations measure it; in a folder without training they are what was played.
  const set = trained.length > 0 ? ("training" as const) : ("evaluation" as const);
  const steps = trained.length > 0 ? trained : await reader.steps("evaluation");
  const chosen: ChosenRollout[] = [];
  for (const step of steps) {
    const rollouts = await reader.rollouts(step, set);
    for (const summary of rollouts) {
      const { reward, turns, tokens, toolCalls: tool_calls } = summary;
      const mark = markOf(summary);
      const isChosen =
        reward !== null &&
        passes?.({ reward, turns, tokens, tool_calls, step }) === true &&
        (!starred || mark.star) &&
        (tags.length === 0 || tags.some((tag) => mark.tags.includes(tag)));
      if (isChosen) chosen.push({ summary, mark });
    }
    if (!onStep(rollouts.length)) break;
  }
  return fewPerTask(chosen, maxPerTask);
}

/** Those with the highest reward, and of equal ones the first. */
function fewPerTask(
  rollouts: readonly ChosenRollout[],
  limit: number | null,
): readonly ChosenRollout[] {
  if (limit === null) return rollouts;
  const kept = [...groupBy(rollouts, ({ summary }) => taskId(summary)).values()].flatMap((own) =>
    own.toSorted((a, b) => (b.summary.reward ?? 0) - (a.summary.reward ?? 0)).slice(0, limit),
  );
  const isKept = new Set(kept);
  return rollouts.filter((rollout) => isKept.has(rollout));
}

/** What is stored of the rollout's token streams. */
export async function storedTokens(
  reader: RunReader,
  { summary }: ChosenRollout,
): Promise<readonly TokenRecord[]> {
  const streams = await Promise.all(
    summary.tokenData.map((entry) => reader.tokens(summary, entry)),
  );
  return streams.filter((stream) => stream !== null);
}
