/** Serves a run's rollouts to the editor, as tree rows and as text. */

import {
  rolloutTextRequestSchema,
  TRAJECTORY_REQUESTS,
  type TrajectoriesRequest,
  type TrajectoryRow,
  type TrajectoryRows,
  trajectoriesRequestSchema,
} from "../api/trajectories.ts";
import type { FileSystem } from "../core/ports.ts";
import type { RunFollower } from "../core/runFolder/follower.ts";
import { createRunReader, type RolloutSummary } from "../core/runFolder/reader.ts";
import { transcriptOf } from "../core/runFolder/rollouts/transcript.ts";
import { readSuccessRewards } from "../core/runFolder/successRewards.ts";
import { plainLine } from "../core/util/plainText.ts";
import { groupBy } from "../shared/groupBy.ts";
import { shownAs } from "../shared/rolloutName.ts";
import { newestSets } from "../shared/rolloutSet.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";
import type { WindowRuns } from "./runs/windowRuns.ts";
import { inOrder, isShown } from "./trajectories/rolloutFilter.ts";
import {
  evaluationRow,
  groupRow,
  noStepsText,
  rolloutItemRow,
  stepRow,
  trainingUseText,
} from "./trajectories/trajectoryRows.ts";

export function serveTrajectories(server: ServerOptions, { store, feeds }: WindowRuns): void {
  const { rows, text } = TRAJECTORY_REQUESTS;
  answerRequests(server, rows, trajectoriesRequestSchema, async (request, { fileSystem }) => {
    const { folder, of } = request;
    return feeds.with(folder, async (run): Promise<TrajectoryRows> => {
      const { follower } = run;
      // A new follower does not know yet which steps are complete.
      if (follower.runFile === null) await run.refresh();
      const isLive = store.get(folder)?.isLive === true;
      if (of === null) return await stepRows(follower, request, isLive);
      return {
        rows: await rolloutRows(fileSystem, follower, { ...request, of }),
        more: 0,
        why: "",
      };
    });
  });
  answerRequests(server, text, rolloutTextRequestSchema, async (place, { fileSystem }) => {
    const { folder, form, step, source } = place;
    return feeds.with(folder, async (run) => {
      const summary = (await run.follower.rollouts(step, source)).find(
        ({ group, rollout }) => group === place.group && rollout === place.rollout,
      );
      if (summary === undefined) return null;
      const body = await createRunReader(fileSystem.within(folder), folder).body(summary);
      if (body === null) return null;
      if (form === "txt") return transcriptOf(body);
      return JSON.stringify({ shown_as: shownAs(place), ...body }, null, 2);
    });
  });
}

/** The newest first. */
async function stepRows(
  follower: RunFollower,
  { limit }: TrajectoriesRequest,
  isLive: boolean,
): Promise<TrajectoryRows> {
  const sets = newestSets(await follower.steps(), await follower.steps("evaluation"));
  const rows = sets.slice(0, limit).map((set): TrajectoryRow => {
    const text =
      set.source === "training"
        ? stepRow(set.step, follower.metrics, isLive)
        : evaluationRow(set.step, follower.evaluations, isLive);
    return { ...set, text, tooltip: text.spoken };
  });
  const why = sets.length > 0 ? "" : noStepsText(follower.runFile, isLive);
  return { rows, more: sets.length - rows.length, why };
}

/** The groups of a step or evaluation, or the rollouts in one of its groups. */
async function rolloutRows(
  fileSystem: FileSystem,
  follower: RunFollower,
  { folder, of, filter, order }: Part,
): Promise<readonly TrajectoryRow[]> {
  const { source, step } = of;
  const successRewards = await readSuccessRewards(fileSystem.within(folder), folder);
  const successReward = (rollout: RolloutSummary | undefined): number =>
    successRewards(rollout?.environment ?? "");
  const groups = groupBy(await follower.rollouts(step, source), ({ group }) => group);
  if (of.group === undefined) {
    return [...groups]
      .filter(([, rollouts]) => rollouts.some((each) => isShown(each, filter)))
      .map(([group, rollouts]) => {
        const text = groupRow(group, rollouts, successReward(rollouts[0]));
        return { source, step, group, text, tooltip: text.spoken };
      });
  }
  const shown = (groups.get(of.group) ?? []).filter((each) => isShown(each, filter));
  return inOrder(shown, order).map((each) => {
    const text = rolloutItemRow(each, successReward(each));
    const { group, rollout, error } = each;
    const reasons = [trainingUseText(each), error === null ? null : plainLine(error)];
    const tooltip = [text.spoken, ...reasons].filter((line) => line !== null).join("\n");
    return { source, step, group, rollout, text, tooltip };
  });
}

type Part = TrajectoriesRequest & { readonly of: NonNullable<TrajectoriesRequest["of"]> };
