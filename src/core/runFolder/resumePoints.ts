/** What a run can be resumed from: its newest saves, and behind those that do not last the last ones that do. */

import { isAppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { appendCheckpoint, type CheckpointEntry, readCheckpoints } from "./checkpointLog.ts";
import { type RunState, readStates, replaceStates } from "./state.ts";

export interface ResumePoint {
  readonly state: RunState;
  readonly statePath: string;
  /** When its service deletes it, milliseconds since the Unix epoch; null = it lasts. */
  readonly expiresAtMs: number | null;
}

/**
 * The saves of a run by their completed steps, the newest first. Those that are noted as deleted are left out; whether the others
 * still live only their service knows.
 * @throws AppError `state-too-new`; `state-invalid` when there are states and none can be read
 */
export async function readResumePoints(
  fileSystem: FolderFiles,
  folder: string,
  nowMs: number,
): Promise<readonly ResumePoint[]> {
  const entries = await readCheckpoints(fileSystem, folder);
  const lasting = lastingPoints(entries, nowMs);
  try {
    const { states } = await readStates(fileSystem, folder);
    return resumePoints(states, lasting);
  } catch (error) {
    if (isAppError(error, "state-invalid") && lasting.points.length > 0) return lasting.points;
    throw error;
  }
}

/** Of the saves that a run keeps. */
export interface LastingPoints {
  /** The newest first. */
  readonly points: readonly ResumePoint[];
  /** Paths of those that are noted as deleted. */
  readonly gone: ReadonlySet<string>;
}

export function lastingPoints(entries: readonly CheckpointEntry[], nowMs: number): LastingPoints {
  const points = new Map<string, ResumePoint>();
  const gone = new Set<string>();
  for (const { state, state_path: statePath, expires_at } of entries) {
    if (state === undefined || statePath === null) continue;
    points.delete(statePath);
    gone.delete(statePath);
    if (expires_at !== null && Date.parse(expires_at) <= nowMs) gone.add(statePath);
    else points.set(statePath, { state, statePath, expiresAtMs: null });
  }
  return { points: newestFirst([...points.values()]), gone };
}

/** {@link readResumePoints} of what was read already. */
export function resumePoints(
  states: readonly RunState[],
  lasting: LastingPoints,
): readonly ResumePoint[] {
  const points = new Map<string, ResumePoint>();
  for (const state of states) {
    if (state.last_checkpoint === null) continue;
    const { state_path: statePath, expires_at } = state.last_checkpoint;
    const expiresAtMs = expires_at === null ? null : Date.parse(expires_at);
    if (lasting.gone.has(statePath) || points.has(statePath)) continue;
    points.set(statePath, { state, statePath, expiresAtMs });
  }
  for (const point of lasting.points) {
    if (!points.has(point.statePath)) points.set(point.statePath, point);
  }
  return newestFirst([...points.values()]);
}

/** The first that has not expired, as far as that is known here. */
export function newestLiving(points: readonly ResumePoint[], nowMs: number): ResumePoint | null {
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
