/** Deletes saved weights that a run no longer needs. Only deletes what its own sessions saved, and records an event for each. */

import { errorMessage, isAppError } from "../../errors.ts";
import { appendCheckpoint, type CheckpointEntry } from "../../runFolder/checkpointLog.ts";
import type { PlayContext, RunReporting, RunServices } from "./context.ts";

/** `not-own` when no session of this run saved it; then it stays, whatever the run folder says. */
export type Deletion = "deleted" | "gone" | "not-own" | "failed";

/** What {@link deleteSaved} needs of a run. */
export interface DeletionContext {
  readonly services: Pick<RunServices, "service" | "isOwn">;
  readonly reporting: Pick<RunReporting, "events" | "log">;
}

/**
 * Deletes `path`, such as `tinker://RUN/weights/NAME`; `why` completes "Deleted PATH: ". Only logs a failure of the service.
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
  await events.record({
    step,
    level: "debug",
    kind: "checkpoint-deleted",
    message,
    data: { path },
  });
  return "deleted";
}

/**
 * Deletes a checkpoint and expires its entry in `checkpoints.jsonl`, unless the service fails or the checkpoint is not this run's.
 * @throws AppError `disk`
 */
export async function deleteCheckpoint(
  context: PlayContext,
  entry: CheckpointEntry,
  reason: { readonly step: number; readonly why: string },
): Promise<void> {
  const { storage, ports } = context;
  for (const path of [entry.state_path, entry.sampler_path]) {
    if (path === null) continue;
    const deletion = await deleteSaved(context, path, reason);
    if (deletion === "failed" || deletion === "not-own") return;
  }
  const expires_at = new Date(ports.clock.now()).toISOString();
  await appendCheckpoint(storage.fileSystem, storage.folder, { ...entry, expires_at });
}
