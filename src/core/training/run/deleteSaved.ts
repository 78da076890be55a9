/** Deletes saved weights that a run no longer needs: only those that its own sessions saved, each with an event. */

import { errorMessage, isAppError } from "../../errors.ts";
import type { RunReporting, RunServices } from "./context.ts";

/** `not-own` when no session of the run saved it: then it stays, whatever the run folder calls it. */
export type Deletion = "deleted" | "gone" | "not-own" | "failed";

/** What `deleteSaved` needs of a run. */
export interface DeletionContext {
  readonly services: Pick<RunServices, "service" | "isOwn">;
  readonly reporting: Pick<RunReporting, "events" | "log">;
}

/**
 * `path` is an address such as `tinker://RUN/weights/NAME`; `why` completes "Deleted PATH: ". A service that refuses is a line in the log.
 * @throws AppError `disk`
 */
export async function deleteSaved(
  { services: { service, isOwn }, reporting: { events, log } }: DeletionContext,
  path: string,
  { step, why }: { readonly step: number | null; readonly why: string },
): Promise<Deletion> {
  if (!isOwn(path)) return "not-own";
  try {
    await service.deleteCheckpoint(path);
  } catch (error) {
    if (isAppError(error, "tinker-not-found")) return "gone";
    log.warn("A checkpoint was not deleted.", { path, why, reason: errorMessage(error) });
    return "failed";
  }
  const message = `Deleted ${path}: ${why}.`;
  await events.record({ step, level: "info", kind: "checkpoint-deleted", message, data: { path } });
  return "deleted";
}
