/** Loads the newest save of a run that still lives: hosted services delete rolling saves after a day, and people delete others. */

import { AppError } from "../../core/errors.ts";
import type { ResumePoint } from "../../core/runFolder/resumePoints.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../core/tinker/trainingClient.ts";
import { isGone } from "../models/goneState.ts";

export interface LoadedState {
  readonly client: TrainingClient;
  readonly point: ResumePoint;
  /** Newer ones, which the service does not have any more. */
  readonly gone: readonly ResumePoint[];
}

/**
 * Tries `points` in their order. A fault that does not mean that a save no longer exists ends it at once.
 * @throws AppError `state-gone` when none is left, `tinker-*`
 */
export async function loadNewestState(
  service: ServiceClient,
  points: readonly ResumePoint[],
): Promise<LoadedState> {
  const gone: ResumePoint[] = [];
  for (const point of points) {
    try {
      const options = { optimizer: true };
      const client = await service.createTrainingClientFromState(point.statePath, options);
      return { client, point, gone };
    } catch (error) {
      if (!(await isGone(service, point.statePath, error))) throw error;
      gone.push(point);
    }
  }
  const paths = gone.map(({ statePath }) => statePath);
  throw new AppError(
    "state-gone",
    `The run cannot continue: all its saves have expired or were deleted${paths.length === 0 ? "" : ` (${paths.join(", ")})`}. Its folder was not changed. Start a new run.`,
    { data: { paths } },
  );
}
