/** Determines whether saved weights that a service refused still exist. */

import { AppError, isAppError } from "../../core/errors.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import { withoutNextStep } from "../../core/tinker/transport/errors.ts";

/** Errors of a load that was refused by the service. */
export const REFUSALS = [
  "tinker-not-found",
  "tinker-bad-request",
  "tinker-request-failed",
] as const;

/** True if the save no longer exists, by the service's list; if the run is not listed, a refusal as the caller's mistake decides. */
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

/** Opens a sampler for weights that the user named. @throws AppError `no-such-checkpoint` if the service lacks them, `tinker-*` */
export async function namedSampler(service: ServiceClient, path: string): Promise<SamplingClient> {
  return await service.samplerForPath(path).catch(async (error: unknown) => {
    throw (await isGone(service, path, error)) ? noSuchCheckpoint(path, error) : error;
  });
}

/** Awaits an answer about a checkpoint that the user named. @throws AppError `no-such-checkpoint`, or the original error */
export async function answerAbout<Answer>(path: string, asking: Promise<Answer>): Promise<Answer> {
  return await asking.catch((error: unknown) => {
    throw isAppError(error, "tinker-not-found") ? noSuchCheckpoint(path, error) : error;
  });
}

function noSuchCheckpoint(path: string, error: unknown): AppError {
  const answer = isAppError(error) ? ` ${withoutNextStep(error)}` : "";
  return new AppError(
    "no-such-checkpoint",
    `There is no checkpoint ${path}.${answer} tinker-rl checkpoints list shows what exists.`,
    { cause: error },
  );
}
