/** Selects stored rollouts of runs by conditions, marks, and a maximum number per task. */

import type { Mark } from "../../shared/marks.ts";
import { parseRolloutCondition } from "../../shared/rolloutCondition.ts";
import { taskId } from "../../shared/taskId.ts";
import { markFinder } from "../runFolder/marks.ts";
import type { RolloutSummary, RunReader } from "../runFolder/reader.ts";
import type { TokenRecord } from "../runFolder/rollouts/tokenRecord.ts";

export interface RolloutChoice {
  /** A condition for `rolloutCondition.ts`; null = all. */
  readonly where: string | null;
  readonly starred: boolean;
  /** Any of these tags; empty = no filter. */
  readonly tags: readonly string[];
  /** Counts only usable rollouts, over all runs: {@link useFewPerTask}. */
  readonly maxPerTask: number | null;
}

export interface ChosenRollout {
  readonly summary: RolloutSummary;
  readonly mark: Mark;
}

/**
 * Rollouts with a reward, in the order of steps, groups and rollouts, from training, or from evaluations if there was no
 * training. `onStep` receives the number of rollouts of each step. If it returns false, no later step is read.
 */
export async function chooseRollouts(
  reader: RunReader,
  { where, starred, tags }: Omit<RolloutChoice, "maxPerTask">,
  onStep: (rollouts: number) => boolean = () => true,
): Promise<readonly ChosenRollout[]> {
  const passes = where === null ? () => true : parseRolloutCondition(where);
  const markOf = markFinder(await reader.marks());
  const trained = await reader.steps("training");
  // Evaluations of a training run only measure it, so they are not taken.
  const set = trained.length > 0 ? ("training" as const) : ("evaluation" as const);
  const steps = trained.length > 0 ? trained : await reader.steps("evaluation");
  // Steps are shown from 1. Evaluations are already numbered by completed steps.
  const ordinal = set === "training" ? 1 : 0;
  const chosen: ChosenRollout[] = [];
  for (const step of steps) {
    const rollouts = await reader.rollouts(step, set);
    for (const summary of rollouts) {
      const { reward, turns, tokens, toolCalls: tool_calls } = summary;
      const mark = markOf(summary);
      const isChosen =
        reward !== null &&
        passes?.({ reward, turns, tokens, tool_calls, step: step + ordinal }) === true &&
        (!starred || mark.star) &&
        (tags.length === 0 || tags.some((tag) => mark.tags.includes(tag)));
      if (isChosen) chosen.push({ summary, mark });
    }
    if (!onStep(rollouts.length)) break;
  }
  return chosen;
}

/**
 * Applies `use` to at most `limit` rollouts of each task, highest reward first. If `use` returns null, the next rollout of the
 * task is used instead.
 */
export async function useFewPerTask<Rollout extends Pick<ChosenRollout, "summary">, Used>(
  rollouts: readonly Rollout[],
  limit: number | null,
  use: (rollout: Rollout) => Promise<Used | null>,
): Promise<readonly Used[]> {
  const most = limit ?? Number.POSITIVE_INFINITY;
  const rewardOf = ({ summary }: Rollout): number => summary.reward ?? 0;
  const ordered =
    limit === null ? rollouts : rollouts.toSorted((a, b) => rewardOf(b) - rewardOf(a));
  const counts = new Map<string, number>();
  const used = new Map<Rollout, Used>();
  for (const rollout of ordered) {
    const task = taskId(rollout.summary);
    const count = counts.get(task) ?? 0;
    const own = count < most ? await use(rollout) : null;
    if (own === null) continue;
    counts.set(task, count + 1);
    used.set(rollout, own);
  }
  return rollouts.flatMap((rollout) => used.get(rollout) ?? []);
}

/** Stored data of the rollout's token streams. */
export async function storedTokens(
  reader: RunReader,
  { summary }: ChosenRollout,
): Promise<readonly TokenRecord[]> {
  const streams = await Promise.all(
    summary.tokenData.map((entry) => reader.tokens(summary, entry)),
  );
  return streams.filter((stream) => stream !== null);
}
