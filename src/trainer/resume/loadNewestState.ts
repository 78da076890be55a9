/** Loads a run's newest save that still exists: hosted services delete rolling saves after a day, and users delete others. */

import { AppError } from "../../core/errors.ts";
import type { ResumePoint } from "../../core/runFolder/resumePoints.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../core/tinker/trainingClient.ts";
import { isGone } from "../models/goneState.ts";

export interface LoadedState {
  readonly client: TrainingClient;
  readonly point: ResumePoint;
  /** Newer saves that the service no longer has. */
  readonly gone: readonly ResumePoint[];
}

/**
 * Tries `points` in order. Any error other than a missing save ends the search.
 * @throws AppError `state-gone` if none is left, `tinker-*`
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
