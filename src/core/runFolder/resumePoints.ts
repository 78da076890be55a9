/** The saves from which a run can be resumed: the newest, and the permanent ones before those that expire. */

import { isAppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { appendCheckpoint, type CheckpointEntry, readCheckpoints } from "./checkpointLog.ts";
import { type RunState, readStates, replaceStates } from "./state.ts";

export interface ResumePoint {
  readonly state: RunState;
  readonly statePath: string;
  /** When its service deletes it, milliseconds since the Unix epoch; null = never. */
  readonly expiresAtMs: number | null;
}

/**
 * The saves of a run by their completed steps, the newest first. Those that are recorded as deleted are left out; only the service
 * knows whether the others still exist.
 * @throws AppError `state-too-new`; `state-invalid` when there are states and none can be read
 */
export async function readResumePoints(
  fileSystem: FolderFiles,
  folder: string,
  nowMs: number,
): Promise<readonly ResumePoint[]> {
  const entries = await readCheckpoints(fileSystem, folder);
  const permanent = permanentPoints(entries, nowMs);
  try {
    const { states } = await readStates(fileSystem, folder);
    return resumePoints(states, permanent);
  } catch (error) {
    if (isAppError(error, "state-invalid") && permanent.points.length > 0) return permanent.points;
    throw error;
  }
}

/** Saves that do not expire. */
export interface PermanentPoints {
  /** The newest first. */
  readonly points: readonly ResumePoint[];
  /** Paths of those that are recorded as deleted. */
  readonly deleted: ReadonlySet<string>;
}

export function permanentPoints(
  entries: readonly CheckpointEntry[],
  nowMs: number,
): PermanentPoints {
  const points = new Map<string, ResumePoint>();
  const deleted = new Set<string>();
  for (const { state, state_path: statePath, expires_at } of entries) {
    if (state === undefined || statePath === null) continue;
    points.delete(statePath);
    deleted.delete(statePath);
    if (expires_at !== null && Date.parse(expires_at) <= nowMs) deleted.add(statePath);
    else points.set(statePath, { state, statePath, expiresAtMs: null });
  }
  return { points: newestFirst([...points.values()]), deleted };
}

/** {@link readResumePoints} of what was read already. */
export function resumePoints(
  states: readonly RunState[],
  permanent: PermanentPoints,
): readonly ResumePoint[] {
  const points = new Map<string, ResumePoint>();
  for (const state of states) {
    if (state.last_checkpoint === null) continue;
    const { state_path: statePath, expires_at } = state.last_checkpoint;
    const expiresAtMs = expires_at === null ? null : Date.parse(expires_at);
    if (permanent.deleted.has(statePath) || points.has(statePath)) continue;
    points.set(statePath, { state, statePath, expiresAtMs });
  }
  for (const point of permanent.points) {
    if (!points.has(point.statePath)) points.set(point.statePath, point);
  }
  return newestFirst([...points.values()]);
}

/** The first that has not expired, as far as that is known here. */
export function newestUnexpired(points: readonly ResumePoint[], nowMs: number): ResumePoint | null {
  return points.find(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs) ?? null;
}

/** A run goes back to an older save. */
export interface Rewind {
  readonly point: ResumePoint;
  /** The newer ones, which its service does not have any more. */
  readonly gone: readonly ResumePoint[];
  /** Steps that the run had completed. */
  readonly completed: number;
}

/**
 * Records that a run goes on from `point` because the newer saves are gone, so that none of them is looked for again: its
 * steps are about to be repeated. @throws AppError `disk`
 */
export async function rewindTo(
  fileSystem: FolderFiles,
  folder: string,
  { point, gone }: Pick<Rewind, "point" | "gone">,
  nowMs: number,
): Promise<void> {
  await replaceStates(fileSystem, folder, point.state);
  const expires_at = new Date(nowMs).toISOString();
  const paths = new Set(gone.map(({ statePath }) => statePath));
  const entries = await readCheckpoints(fileSystem, folder);
  const last = new Map(entries.map((entry) => [entry.state_path, entry]));
  for (const [path, entry] of last) {
    if (path !== null && paths.has(path)) {
      await appendCheckpoint(fileSystem, folder, { ...entry, expires_at });
    }
  }
}

/** Equal steps stay in their order. */
function newestFirst(points: readonly ResumePoint[]): readonly ResumePoint[] {
  return points.toSorted((a, b) => b.state.step - a.state.step);
}
