/** Changes checkpoints and records their new expiry in their runs. */

import type { FileSystem } from "../../core/ports.ts";
import {
  appendCheckpoint,
  readCheckpoints,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import { type CheckpointChange, expiryAfter } from "../../core/tinker/checkpointChange.ts";
import { systemClock } from "../../node/clock.ts";
import { RunRecord } from "../../node/runRecord.ts";
import { requireNamedService, requireOwnCheckpoints } from "../config/requireNamed.ts";
import {
  type ChangedCheckpoint,
  type ChangeRequest,
  changeCheckpoints,
} from "./changeCheckpoints.ts";
import type { PlacesRequest } from "./places.ts";
import { weightsOfRun } from "./weightsOfRun.ts";

export interface ChangeInRunRequest extends PlacesRequest {
  readonly run: string;
  readonly name: string;
  readonly change: CheckpointChange;
}

/**
 * Changes a checkpoint's state and sampler. @throws AppError as {@link changeCheckpoints}; `run-destination`, `checkpoint-not-own`, `disk`
 */
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
  // An earlier attempt may have deleted the state but not the sampler.
  const rules = { areOwn: isLocal, mayBeGone: true };
  yield* changeCheckpoints(fileSystem, { ...request, ...rules, tinkerBaseUrl, paths });
  const expires_at = expiryAfter(change, nowMs);
  // Run files are append-only; the last line about a checkpoint wins.
  if (expires_at !== undefined) {
    await appendCheckpoint(fileSystem.within(folder), folder, { ...entry, expires_at });
  }
}

/** Changes checkpoints by path. @throws AppError as {@link changeCheckpoints}; `disk` */
export async function* changeByAddress(
  fileSystem: FileSystem,
  request: ChangeRequest,
): AsyncGenerator<ChangedCheckpoint> {
  const deleted = new Set<string>();
  for await (const changed of changeCheckpoints(fileSystem, request)) {
    if (request.change.action === "delete" && changed.place !== null) {
      deleted.add(changed.path);
      await noteDeleted(fileSystem, changed.path, deleted);
    }
    yield changed;
  }
}

/** Removes from its local run's list what was deleted: a checkpoint's state, its sampler, or both and so the checkpoint. */
async function noteDeleted(
  fileSystem: FileSystem,
  path: string,
  deleted: ReadonlySet<string>,
): Promise<void> {
  const folder = await RunRecord.folderOf(path);
  if (folder === null) return;
  const files = fileSystem.within(folder);
  const nowMs = systemClock.now();
  for (const entry of usableCheckpoints(await readCheckpoints(files, folder), nowMs)) {
    const { state_path, sampler_path } = entry;
    if (path !== state_path && path !== sampler_path) continue;
    const isLeft = (own: string | null): boolean => own !== null && !deleted.has(own);
    const left = {
      state_path: isLeft(state_path) ? state_path : null,
      sampler_path: isLeft(sampler_path) ? sampler_path : null,
    };
    const isGone = left.state_path === null && left.sampler_path === null;
    const change = isGone ? { expires_at: new Date(nowMs).toISOString() } : left;
    await appendCheckpoint(files, folder, { ...entry, ...change });
  }
}
