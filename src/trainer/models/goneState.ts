/** Whether a saved state that could not be loaded still exists. */

import { isAppError } from "../../core/errors.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";

/** Errors of a load that the service refused. */
export const REFUSALS = [
  "tinker-not-found",
  "tinker-bad-request",
  "tinker-request-failed",
] as const;

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
