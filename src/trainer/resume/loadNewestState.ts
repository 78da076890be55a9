/** Loads the newest save of a run that still lives: hosted services delete rolling saves after a day, and people delete others. */

import { AppError, isAppError } from "../../core/errors.ts";
import type { ResumePoint } from "../../core/runFolder/resumePoints.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../core/tinker/trainingClient.ts";

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

const REFUSALS = ["tinker-not-found", "tinker-bad-request", "tinker-request-failed"] as const;

/** True when the save no longer exists. The service's list of checkpoints decides; where it lists none of the run, a load that was refused as the caller's mistake does. */
export async function isGone(
  service: ServiceClient,
  path: string,
  error: unknown,
): Promise<boolean> {
  if (!isAppError(error, ...REFUSALS)) return false;
  const isCallersMistake = error.code === "tinker-not-found" || error.data["category"] === "user";
  try {
    const listed = await service.listCheckpoints(parseTinkerPath(path).run);
    return listed.every((checkpoint) => checkpoint.path !== path);
  } catch (fault) {
    if (!isAppError(fault, "tinker-not-found")) throw error;
    return isCallersMistake;
  }
}
