/** Changes a checkpoint of a run, its state and its sampler, and notes in the run until when it is kept. */

import type { FileSystem } from "../../core/ports.ts";
import { appendCheckpoint } from "../../core/runFolder/checkpointLog.ts";
import { type CheckpointChange, expiryAfter } from "../../core/tinker/checkpointChange.ts";
import { systemClock } from "../../node/clock.ts";
import { requireNamedService, requireOwnCheckpoints } from "../config/requireNamed.ts";
import { type ChangedCheckpoint, changeCheckpoints } from "./changeCheckpoints.ts";
import type { PlacesRequest } from "./places.ts";
import { weightsOfRun } from "./weightsOfRun.ts";

export interface ChangeInRunRequest extends PlacesRequest {
  readonly run: string;
  readonly name: string;
  readonly change: CheckpointChange;
}

/** @throws AppError as {@link changeCheckpoints}; `run-destination`, `checkpoint-not-own`, `disk` */
export async function* changeInRun(
  fileSystem: FileSystem,
  request: ChangeInRunRequest,
): AsyncGenerator<ChangedCheckpoint> {
  const { run: folder, name, change } = request;
  const found = await weightsOfRun(fileSystem, { folder, name, clock: systemClock });
  const { checkpoint: entry, isLocal, tinkerBaseUrl } = found;
  const paths = [entry.state_path, entry.sampler_path].filter((path) => path !== null);
  await requireNamedService(tinkerBaseUrl, folder, request);
  await requireOwnCheckpoints(folder, paths);
  const nowMs = systemClock.now();
  // Another try may have deleted the state and not the sampler.
  const rules = { areOwn: isLocal, mayBeGone: true };
  yield* changeCheckpoints(fileSystem, { ...request, ...rules, tinkerBaseUrl, paths });
  const expires_at = expiryAfter(change, nowMs);
  // Files of a run only grow: the last line about a checkpoint counts.
  if (expires_at !== undefined) {
    await appendCheckpoint(fileSystem.within(folder), folder, { ...entry, expires_at });
  }
}
